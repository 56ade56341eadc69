import { describe, expect, it } from 'vitest';
import { inPackOrder } from './pack-order.ts';

const slice = (text: string) => {
  const [packId = '', offset] = text.split('@');
  return { packId, offset: Number(offset), length: 1 };
};
const ordered = (...texts: string[]) =>
  inPackOrder(texts.map(slice)).map(({ packId, offset }) => `${packId}@${offset}`);

describe('inPackOrder', () => {
  it('takes packs in the order of their first use, and each from its beginning to its end', () => {
    expect(ordered('p9@50', 'p1@7', 'p9@0', 'p5@1', 'p1@3', 'p9@10')).toEqual([
      'p9@0',
      'p9@10',
      'p9@50',
      'p1@3',
      'p1@7',
      'p5@1',
    ]);
  });
  it('gives nothing for no contents', () => {
    expect(ordered()).toEqual([]);
  });
});
