import fc from 'fast-check';
import { expect, it } from 'vitest';
import { objectNameOf } from './object-name.ts';

it.each([
  ['pvc-9c1e4b2a-77f0-4d92-8c07-9107ebd7c4e9', /^pvc-9c1e4b2a-77f0-4d92-8c07-9107ebd7c4e9$/],
  ['a', /^a-[0-9a-f]{16}$/],
  ['Data Of_The..Shop', /^data-of-the-shop-[0-9a-f]{16}$/],
  ['--', /^v-[0-9a-f]{16}$/],
  ['x'.repeat(128), /^x{46}-[0-9a-f]{16}$/],
])('%s becomes %s', (name, expected) => expect(objectNameOf(name)).toMatch(expected));

it.each([['', 'x'.repeat(129)]])('rejects an invalid name', (name) => {
  expect(() => objectNameOf(name)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

it('is valid for objects and labels, and stable and unique per name', () => {
  const names = fc.string({ minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(names, names, (a, b) => {
      const name = objectNameOf(a);
      expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      expect(objectNameOf(name)).toBe(name);
      if (a !== b && a !== objectNameOf(b) && b !== name) expect(objectNameOf(b)).not.toBe(name);
    }),
    { numRuns: 200, seed: 1 },
  );
});
