import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCapacity, fitsRange } from './capacity.ts';
import { volumeLimits } from './limits.ts';

const MiB = 1024 ** 2;
const GiB = 1024 * MiB;

describe('decideCapacity', () => {
  it.each([
    { range: undefined, bytes: GiB },
    { range: {}, bytes: GiB },
    { range: { limitBytes: 100 * MiB }, bytes: 100 * MiB },
    { range: { limitBytes: 100 * MiB + 1 }, bytes: 100 * MiB },
    { range: { requiredBytes: 1 }, bytes: 16 * MiB },
    { range: { requiredBytes: 5 * GiB }, bytes: 5 * GiB },
    { range: { requiredBytes: 1_000_000_000 }, bytes: 1_000_001_536 },
    { range: { requiredBytes: GiB, limitBytes: GiB }, bytes: GiB },
    { range: { requiredBytes: volumeLimits.bytesMax }, bytes: volumeLimits.bytesMax },
  ])('gives $bytes bytes for $range', ({ range, bytes }) => expect(decideCapacity(range)).toBe(bytes));

  it.each([
    { range: { requiredBytes: -1 }, code: 'INVALID_ARGUMENT' },
    { range: { limitBytes: -1 }, code: 'INVALID_ARGUMENT' },
    { range: { requiredBytes: 2, limitBytes: 1 }, code: 'INVALID_ARGUMENT' },
    { range: { requiredBytes: 1, limitBytes: 2 }, code: 'OUT_OF_RANGE' },
    { range: { limitBytes: MiB }, code: 'OUT_OF_RANGE' },
    { range: { requiredBytes: GiB + 1, limitBytes: GiB + 1 }, code: 'OUT_OF_RANGE' },
    { range: { requiredBytes: volumeLimits.bytesMax + 1 }, code: 'OUT_OF_RANGE' },
    { range: { requiredBytes: 2 ** 60 }, code: 'OUT_OF_RANGE' },
  ])('rejects $range with $code', ({ range, code }) => {
    expect(() => decideCapacity(range)).toThrow(expect.objectContaining({ code }));
  });

  it('gives whole blocks within the range, or an error', () => {
    const sizes = fc.integer({ min: 0, max: 2 ** 45 });
    fc.assert(
      fc.property(sizes, sizes, (requiredBytes, limitBytes) => {
        let bytes: number;
        try {
          bytes = decideCapacity({ requiredBytes, limitBytes });
        } catch {
          return true;
        }
        return bytes % volumeLimits.roundBytes === 0 && fitsRange(bytes, { requiredBytes, limitBytes });
      }),
    );
  });
});
