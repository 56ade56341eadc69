import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentKey } from '../content-id.ts';
import { sortedKeys } from './sorted-keys.ts';

/** Many IDs with the same beginning, and hashes of several lengths. */
const anyId = fc
  .tuple(
    fc.constantFrom('', 'k', 'm', 'x'),
    fc.constantFrom('00'.repeat(14), 'ff'.repeat(14), `00000001${'ab'.repeat(10)}`),
    fc.stringMatching(/^(?:[0-9a-f]{2}){2,18}$/),
  )
  .map((parts) => parts.join(''));

it('sorts IDs as index files do, and compares them byte by byte', () => {
  fc.assert(
    fc.property(fc.array(anyId, { maxLength: 200 }), (ids) => {
      const keys = sortedKeys(ids);
      const sorted = [...ids].sort((a, b) => Buffer.compare(contentKey(a), contentKey(b)));
      expect([...keys.order].map((place) => ids[place])).toEqual(sorted);
      expect([...keys.order].sort((a, b) => a - b)).toEqual(ids.map((_, place) => place));
      for (const [index, id] of sorted.entries()) {
        const other = contentKey(sorted[(index * 7) % sorted.length] ?? '');
        expect(Math.sign(keys.compare(index, other, 0, other.length))).toBe(Buffer.compare(contentKey(id), other));
      }
    }),
  );
});

it.each([
  '',
  'k',
  'g',
  '0'.repeat(30),
  `a${'0'.repeat(32)}`,
  `K${'0'.repeat(32)}`,
  '0'.repeat(66),
  `${'0'.repeat(31)}G`,
  `é${'0'.repeat(31)}`,
  'A'.repeat(32),
])('rejects %j', (id) =>
  expect(() => sortedKeys([id])).toThrow(expect.objectContaining({ code: 'CONTENT_ID_INVALID' })),
);
