import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseObjectId } from './object-id.ts';
import { readObject } from './read-object.ts';

const { signal } = new AbortController();

/** Contents by ID, and lists of them, as kopia splits an object. */
class Contents {
  readonly bytes = new Map<string, Uint8Array>();
  put(bytes: Uint8Array, letter = ''): string {
    const id = letter + this.bytes.size.toString(16).padStart(32, '0');
    this.bytes.set(id, bytes);
    return id;
  }
  list(entries: readonly { s?: number; l?: number; o: string }[]): string {
    return this.put(Buffer.from(`${JSON.stringify({ stream: 'kopia:indirect', entries })}\n`), 'x');
  }
  async read(objectId: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    const readContent = async (id: string) => this.bytes.get(id) ?? new Uint8Array();
    for await (const piece of readObject(parseObjectId(objectId), readContent, signal)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}

/** Objects for all the pieces, and the list of them. */
const listed = (contents: Contents, pieces: readonly { id: string; length: number }[]) => {
  let start = 0;
  const entries = pieces.map(({ id, length }) => {
    const entry = { ...(start === 0 ? {} : { s: start }), l: length, o: id };
    start += length;
    return entry;
  });
  return `I${contents.list(entries)}`;
};

describe('the bytes of an object', () => {
  it('are those of its pieces in order, even when its list is split, too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (pieces, depth) => {
          const contents = new Contents();
          let objectId = listed(
            contents,
            pieces.map((piece) => ({ id: contents.put(piece), length: piece.length })),
          );
          for (let level = 1; level < depth; level++) {
            const list = contents.bytes.get(objectId.replace(/^I+/, '')) ?? new Uint8Array();
            const halves = [list.subarray(0, list.length >> 1), list.subarray(list.length >> 1)];
            const inner = listed(
              contents,
              halves.map((half) => ({ id: contents.put(half, 'x'), length: half.length })),
            );
            objectId = `${'I'.repeat(level)}${inner}`;
          }
          expect((await contents.read(objectId)).equals(Buffer.concat(pieces))).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([
    [
      [
        { l: 3, o: 'A' },
        { s: 4, l: 3, o: 'A' },
      ],
      'leave a gap at 3',
    ],
    [[{ l: 4, o: 'A' }], 'has 3 bytes, not 4'],
    [[{ l: 2, o: 'A' }], 'has 3 bytes, not 2'],
    [[{ l: -1, o: 'A' }], 'no place or no bytes'],
    [[{ l: 3, o: 'nothing' }], 'is not the id of an object'],
  ])('are rejected when the list says %j', async (entries, message) => {
    const contents = new Contents();
    const piece = contents.put(Buffer.from('abc'));
    const list = contents.list(entries.map((entry) => ({ ...entry, o: entry.o.replace('A', piece) })));
    await expect(contents.read(`I${list}`)).rejects.toMatchObject({
      code: 'SNAPSHOT_CORRUPT',
      message: expect.stringContaining(message),
    });
  });

  it.each(['', 'I', 'xyz', 'k12', `${'I'.repeat(9)}${'0'.repeat(32)}`, `I${'0'.repeat(33)}/`, '0'.repeat(30)])(
    'are not looked up for the ID %j',
    (text) => expect(() => parseObjectId(text)).toThrow(expect.objectContaining({ code: 'SNAPSHOT_CORRUPT' })),
  );

  it('of an object that was compressed as a whole are left to the engine', () => {
    expect(() => parseObjectId(`Z${'0'.repeat(32)}`)).toThrow(
      expect.objectContaining({ code: 'REPOSITORY_FORMAT_UNSUPPORTED' }),
    );
    expect(parseObjectId(`D${'0'.repeat(32)}`)).toEqual({ contentId: '0'.repeat(32), indirection: 0 });
  });
});
