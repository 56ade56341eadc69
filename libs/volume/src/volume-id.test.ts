import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileIds } from './fake-machine/hostile-ids.ts';
import { idForName, nodeTag, readId } from './volume-id.ts';

describe('readId', () => {
  it.each(hostileIds)('%j is nothing that we have issued', (id) =>
    expect(readId(id, 'the id')).toEqual({ kind: 'unknown' }),
  );

  it('refuses an empty one', () => {
    expect(() => readId('', 'the volume id')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('reads back what idForName makes, for any name and node', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 32 }), fc.string(), (name, node) => {
        const id = idForName('volume', name, node);
        expect(readId(id, 'id')).toEqual({ kind: 'volume', id, tag: nodeTag(node) });
        expect(id).toMatch(/^[a-z0-9-]+$/);
      }),
    );
  });
});

describe('idForName', () => {
  it('is the same for the same name, and another for another name, kind or node', () => {
    const ids = [
      idForName('volume', 'a', 'n1'),
      idForName('volume', 'b', 'n1'),
      idForName('snapshot', 'a', 'n1'),
      idForName('volume', 'a', 'n2'),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(idForName('volume', 'a', 'n1')).toBe(ids[0]);
  });

  it.each(['', 'x'.repeat(129), 'ü'.repeat(65)])('refuses a name of the wrong length', (name) => {
    expect(() => idForName('volume', name, 'n')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('takes a name of 128 bytes', () => expect(idForName('volume', 'x'.repeat(128), 'n')).toHaveLength(45));
});
