import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileIds } from './fake-machine/hostile-ids.ts';
import { idForName, nodeTag, readId } from './volume-id.ts';

describe('readId', () => {
  it.each(hostileIds)('rejects %j, which was never issued', (id) =>
    expect(readId(id, 'the id')).toEqual({ kind: 'unknown' }),
  );

  it('rejects an empty ID', () => {
    expect(() => readId('', 'the volume id')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('reads the IDs of idForName, for any name and node', () => {
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
  it('gives the same ID for the same name, and another for another name, kind or node', () => {
    const ids = [
      idForName('volume', 'a', 'n1'),
      idForName('volume', 'b', 'n1'),
      idForName('snapshot', 'a', 'n1'),
      idForName('volume', 'a', 'n2'),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(idForName('volume', 'a', 'n1')).toBe(ids[0]);
  });

  it.each(['', 'x'.repeat(129), 'ü'.repeat(65)])('rejects a name that is empty or too long', (name) => {
    expect(() => idForName('volume', name, 'n')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('accepts a name of 128 bytes', () => expect(idForName('volume', 'x'.repeat(128), 'n')).toHaveLength(45));
});
