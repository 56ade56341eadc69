import { describe, expect, it } from 'vitest';
import { JsonObjects, objectBytesMax } from './json-objects.ts';

function read(text: string, depth: number, pieceLength: number): unknown[] {
  const found: unknown[] = [];
  const objects = new JsonObjects(depth, (object) => found.push(object));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) objects.push(bytes.subarray(at, at + pieceLength));
  objects.end();
  return found;
}

const entries = [
  { name: 'a"}]{[\\', obj: 'k1', summ: { size: 1, errors: [{ path: 'x' }] } },
  { name: 'é€😀', obj: 'k2', type: 'd' },
  {},
];

describe('JsonObjects', () => {
  it.each([1, 2, 3, 7, 64, 10_000])('finds the objects of a list that arrives in chunks of %d bytes', (pieceLength) => {
    expect(read(`[\n ${entries.map((each) => JSON.stringify(each)).join(',\n ')}\n]`, 2, pieceLength)).toEqual(entries);
  });

  it.each([1, 5, 10_000])('finds the entries of consecutive folders, and no other objects (%d)', (length) => {
    const folder = (own: object[]) =>
      JSON.stringify({ stream: 'd', entries: own, summary: { errors: [{ path: 'y' }] } });
    expect(read(`${folder(entries)}\n${folder([])}\n${folder([{ o: 'z' }])}`, 3, length)).toEqual([
      ...entries,
      { o: 'z' },
    ]);
  });

  it('reports the document that contains an object', () => {
    const found: [unknown, number][] = [];
    const objects = new JsonObjects(3, ({ o }, document) => found.push([o, document]));
    objects.push(Buffer.from('{"entries":[{"o":1},{"o":2}]}{"entries":[]}\n{"entries":[{"o":3}]}'));
    expect(found).toEqual([
      [1, 0],
      [2, 0],
      [3, 2],
    ]);
  });

  it.each(['[{"a":1}', '[{"a":"x', '{"entries":['])('reports a missing end of %j', (text) => {
    expect(() => read(text, 2, 3)).toThrowError(/its end is missing/);
  });

  it('rejects text that is not JSON, and an object without an end', () => {
    expect(() => read('[{nonsense}]', 2, 100)).toThrowError(/not an object/);
    expect(() => read(`[{"a":"${'x'.repeat(objectBytesMax)}"}]`, 2, 65_536)).toThrowError(/has more than/);
  });
});
