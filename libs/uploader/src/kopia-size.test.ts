import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSize } from './kopia-size.ts';

/** A size as kopia 0.22 prints it: the next unit from 0.9 of it on, one decimal, no ".0". */
function printed(bytes: number): string {
  let value = bytes;
  for (const unit of ['B', 'KB', 'MB', 'GB', 'TB', 'PB']) {
    if (value < 900) return `${Number(value.toFixed(1))} ${unit}`;
    value /= 1000;
  }
  return `${Number(value.toFixed(1))} EB`;
}

describe('parseSize', () => {
  it.each([
    ['0 B', 0],
    ['899 B', 899],
    ['0.9 KB', 900],
    ['694 MB', 694_000_000],
    ['67.8 MB', 67_800_000],
    ['1.2 GB', 1_200_000_000],
    ['3.5 MiB', 3_670_016],
  ])('%s is %d bytes', (text, bytes) => expect(parseSize(text)?.bytes).toBe(bytes));

  it.each(['', 'MB', '12', '12MB', '1,2 GB', '12 XB', '-1 B', '1.2.3 MB'])('rejects %j', (text) =>
    expect(parseSize(text)).toBeUndefined(),
  );

  it('is never further from the true value than the stated error', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (bytes) => {
        const size = parseSize(printed(bytes));
        expect(size).toBeDefined();
        // Half a byte for the rounding of whole bytes, and the noise of a double beyond 2^52.
        expect(Math.abs((size?.bytes ?? Number.NaN) - bytes)).toBeLessThanOrEqual(
          (size?.errorBytes ?? 0) * 1.000001 + 1,
        );
      }),
    );
  });
});
