import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LockedArea, OverlapLocks } from './overlap-locks.ts';

const areas = fc.array(fc.record({ start: fc.nat(20), length: fc.integer({ min: 1, max: 8 }) }), { maxLength: 40 });
const meet = (a: LockedArea, b: LockedArea) => a.start < b.end && b.start < a.end;

describe('OverlapLocks', () => {
  it('grants each area once, overlapping ones in the order of their requests, and never two at once', () => {
    fc.assert(
      fc.property(areas, fc.infiniteStream(fc.nat()), (wanted, order) => {
        const locks = new OverlapLocks();
        const granted: (LockedArea & { n: number })[] = [];
        const held = new Map<number, LockedArea>();
        const grant = (n: number, start: number, end: number) => {
          for (const other of held.values()) expect(meet({ start, end }, other)).toBe(false);
          held.set(n, { start, end });
          granted.push({ n, start, end });
        };
        const entries = wanted.map(({ start, length }, n) =>
          locks.acquire(start, start + length, () => grant(n, start, start + length)),
        );
        while (held.size > 0) {
          const keys = [...held.keys()];
          const n = keys[order.next().value % keys.length] ?? 0;
          held.delete(n);
          const entry = entries[n];
          if (entry !== undefined) locks.release(entry);
        }
        expect([granted.length, locks.size]).toEqual([wanted.length, 0]);
        for (const [i, early] of granted.entries())
          for (const late of granted.slice(i + 1)) if (meet(early, late)) expect(early.n).toBeLessThan(late.n);
      }),
      { numRuns: 200 },
    );
  });

  it('lets a reader wait for running writes, but not for waiting ones', () => {
    const locks = new OverlapLocks();
    const seen: string[] = [];
    const first = locks.acquire(0, 8, () => {});
    const second = locks.acquire(4, 12, () => seen.push('second'));
    locks.afterUnderWay(8, 12, () => seen.push('beside'));
    locks.afterUnderWay(0, 16, () => seen.push('reader'));
    expect(seen).toEqual(['beside']);
    locks.release(first);
    expect(seen).toEqual(['beside', 'second', 'reader']);
    locks.release(second);
    expect(locks.size).toBe(0);
  });
});
