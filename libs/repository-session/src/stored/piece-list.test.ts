import { chunksOf, parseObjectId, readObject } from '@lateen/kopia-format';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeChunkList } from './piece-list.ts';

const { signal } = new AbortController();

/** Content IDs of one length, as hashes have. */
const idOf = (number: number): string => number.toString(16).padStart(32, '0');

async function written(ids: readonly string[], layout: { chunkBytes: number; sizeBytes: number }, pieceBytes: number) {
  const contents = new Map<string, Uint8Array>();
  const write = async (data: Uint8Array) => {
    const id = `x${idOf(contents.size)}`;
    contents.set(id, Uint8Array.from(data));
    return id;
  };
  return { object: await writeChunkList(ids, layout, write, pieceBytes), contents };
}

describe('the list of the chunks of an object', () => {
  it('is written as kopia writes it', async () => {
    // What kopia 0.22.3 has stored for a file of 2,500,000 bytes with FIXED-1M.
    const ids = [
      '93c538c6cb41d7cdb4630d1a5a377d97',
      'ece1f5d02e5cc3f76a3edae83f54593c',
      '2a512680ddefcc20492df8a85ddf032b',
    ];
    const { object, contents } = await written(ids, { chunkBytes: 1_048_576, sizeBytes: 2_500_000 }, 4096);
    expect(object).toBe(`Ix${idOf(0)}`);
    expect(Buffer.from(contents.get(`x${idOf(0)}`) ?? []).toString()).toBe(
      '{"stream":"kopia:indirect","entries":[{"l":1048576,"o":"93c538c6cb41d7cdb4630d1a5a377d97"},' +
        '{"s":1048576,"l":1048576,"o":"ece1f5d02e5cc3f76a3edae83f54593c"},' +
        '{"s":2097152,"l":402848,"o":"2a512680ddefcc20492df8a85ddf032b"}]}\n',
    );
  });

  it('is omitted for one chunk', async () => {
    const { object, contents } = await written([idOf(7)], { chunkBytes: 10, sizeBytes: 4 }, 4096);
    expect([object, contents.size]).toEqual([idOf(7), 0]);
  });

  it('is split into a list of lists when it is longer than a chunk, at any depth', async () => {
    const sizes = fc.record({ chunks: fc.integer({ min: 2, max: 120 }), piece: fc.integer({ min: 150, max: 400 }) });
    const check = fc.asyncProperty(sizes, async ({ chunks, piece }) => {
      const ids = Array.from({ length: chunks }, (_, chunk) => idOf(chunk));
      const { object, contents } = await written(ids, { chunkBytes: 10, sizeBytes: chunks * 10 - 3 }, piece);
      const { contentId, indirection } = parseObjectId(object);
      const list = { contentId, indirection: indirection - 1 };
      const found: [string, number][] = [];
      const read = async (id: string) => contents.get(id) ?? Buffer.of();
      for await (const group of chunksOf(readObject(list, read, signal)))
        for (const { objectId, length } of group) found.push([objectId.contentId, length]);
      expect(found).toEqual(ids.map((id, chunk) => [id, chunk === chunks - 1 ? 7 : 10]));
    });
    await fc.assert(check);
  });
});
