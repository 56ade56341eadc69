import { describe, expect, it } from 'vitest';
import { besideThis } from './beside-this.ts';

describe('another program of the mover', () => {
  it.each([
    ['file:///work/apps/data-mover/src/open-kopia.ts', 'file:///work/apps/data-mover/src/restore-worker.ts'],
    ['file:///usr/local/lib/lateen/bin/data-mover.mjs', 'file:///usr/local/lib/lateen/bin/restore-worker.mjs'],
  ])('of %s is %s', (own, other) => {
    expect(besideThis('restore-worker', own).href).toBe(other);
  });
});
