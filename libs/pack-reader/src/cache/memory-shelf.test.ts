import { expect, it } from 'vitest';
import { memoryShelf } from './memory-shelf.ts';

async function* pieces(bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += 10) yield new Uint8Array(Math.min(10, bytes - at)).fill(at);
}

it('holds packs up to its limit, and drops the least recently used ones', async () => {
  const shelf = memoryShelf(100);
  const has = (packId: string) => shelf.read(packId, 0, new Uint8Array(1));
  expect([await shelf.keep('a', pieces(40)), await shelf.keep('b', pieces(40))]).toEqual([true, true]);
  expect(await has('a')).toBe(true);
  expect(await shelf.keep('c', pieces(30))).toBe(true);
  expect([await has('a'), await has('b'), await has('c')]).toEqual([true, false, true]);
  expect(await shelf.keep('large', pieces(101))).toBe(false);
  expect(await has('large')).toBe(false);
  await shelf.keep('a', pieces(20));
  expect([await shelf.read('a', 10, new Uint8Array(11)), await shelf.read('a', 10, new Uint8Array(10))]).toEqual([
    false,
    true,
  ]);
  expect(await shelf.keep('d', pieces(100))).toBe(true);
  await shelf.close();
  expect(await has('d')).toBe(false);
});
