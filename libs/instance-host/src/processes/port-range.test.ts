import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextPort, replicaPorts } from './port-range.ts';

const { first, last } = replicaPorts;
const any = fc.integer({ min: first - 5, max: last + 5 });

it('returns a free port of the range', () => {
  fc.assert(
    fc.property(fc.uniqueArray(any, { maxLength: 50 }), any, (taken, after) => {
      const port = nextPort(new Set(taken), after);
      expect(port).toBeGreaterThanOrEqual(first);
      expect(port).toBeLessThanOrEqual(last);
      expect(taken).not.toContain(port);
    }),
  );
});

it('cycles through the range, and reuses a released port last', () => {
  expect(nextPort(new Set())).toBe(first);
  expect(nextPort(new Set([first]), first)).toBe(first + 1);
  expect(nextPort(new Set(), last)).toBe(first);
});

it('fails when no port is free', () => {
  const all = new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index));
  expect(() => nextPort(all)).toThrow(expect.objectContaining({ code: 'NO_PORT', retry: 'later' }));
  all.delete(20_000);
  expect(nextPort(all, 20_000)).toBe(20_000);
});
