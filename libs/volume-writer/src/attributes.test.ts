import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Attributes } from './attributes.ts';
import type { ExactTimes, TimeFailure } from './exact-times.ts';
import { attributesOfTests as given } from './volume-under-test.ts';

const timesThat = (failures: readonly TimeFailure[]): ExactTimes => ({
  add: () => {},
  settle: () => Promise.resolve(failures),
  close: () => Promise.resolve(),
});
const errno = { EPERM: 1, EIO: 5, EACCES: 13 } as const;

describe('Attributes', () => {
  it('counts operations without permission, reports the first one, and continues', async () => {
    const attributes = new Attributes(
      timesThat([
        { path: 'a', errno: errno.EPERM },
        { path: 'b', errno: errno.EACCES },
      ]),
    );
    await attributes.settle();
    expect(attributes.permissionErrors.count).toBe(2);
    expect(attributes.permissionErrors.first).toMatch(/^a: .*setting the time of a failed/);
    // The kernel allows no change of owner in /proc.
    const file = openSync('/proc/self/status', 'r');
    attributes.give(file, 'status', given);
    closeSync(file);
    expect(attributes.permissionErrors.count).toBeGreaterThan(2);
  });

  it('fails for any other reason', async () => {
    await expect(new Attributes(timesThat([{ path: 'a', errno: errno.EIO }])).settle()).rejects.toMatchObject({
      code: 'VOLUME_WRITE_FAILED',
      message: 'setting the time of a failed',
      cause: { code: 'EIO' },
    });
    expect(() => new Attributes(timesThat([])).give(-1, 'a', given)).toThrow();
  });
});
