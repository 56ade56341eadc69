import { parseObjectId } from '@lateen/kopia-format';
import { seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { MemoryRepository } from '../memory-repository.ts';
import { fixedPieces } from './fixed-pieces.ts';

const { signal } = new AbortController();
const id = (at: number): string => String(at).padStart(32, '0');

async function pieces(lengths: readonly number[], sizeBytes: number, prefix = '') {
  const session = await new MemoryRepository(seededRandom(1)).open();
  let start = 0;
  const entries = lengths.map((length, at) => {
    const entry = { s: start, l: length, o: `${prefix}${id(at)}` };
    start += length;
    return entry;
  });
  const data = Buffer.from(`${JSON.stringify({ stream: 'kopia:indirect', entries })}\n`);
  const list = await session.writeContent({ prefix: 'x', data }, { signal });
  return fixedPieces(session, parseObjectId(`I${list}`), sizeBytes, signal);
}

it('an object with chunks of one length has that splitter; the last chunk may be shorter', async () => {
  expect(await pieces([8, 8, 8], 24)).toEqual({ chunkBytes: 8, ids: [id(0), id(1), id(2)] });
  expect(await pieces([8, 8, 3], 19)).toEqual({ chunkBytes: 8, ids: [id(0), id(1), id(2)] });
});

it('an object of a file in parts of 2 GiB may end with an empty one, which belongs to no chunk', async () => {
  expect(await pieces([8, 8, 0], 16)).toEqual({ chunkBytes: 8, ids: [id(0), id(1)] });
});

it.each<[string, number[], number, string?]>([
  ['an empty chunk before its end', [8, 0, 8], 16],
  ['an empty chunk alone', [0], 0],
  ['a shorter chunk in between', [8, 7, 8], 23],
  ['a longer chunk', [8, 9], 17],
  ['a longer chunk at the end', [8, 8, 9], 25],
  ['less than its size', [8, 8], 20],
  ['more than its size', [8, 8], 12],
  ['no chunk', [], 0],
  ['a chunk that is a list itself', [8, 8], 16, 'Ix'],
])('an object with %s has no FIXED splitter', async (_, lengths, sizeBytes, prefix) => {
  expect(await pieces(lengths, sizeBytes, prefix)).toBeUndefined();
});

it('an object of one chunk has no list', async () => {
  const session = await new MemoryRepository(seededRandom(1)).open();
  expect(await fixedPieces(session, parseObjectId(id(7)), 5, signal)).toEqual({ chunkBytes: 5, ids: [id(7)] });
});
