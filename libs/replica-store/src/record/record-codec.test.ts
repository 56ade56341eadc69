import { isAppError } from '@lateen/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withFileBytes } from './layer-tree.ts';
import { parseRecord, recordText } from './record-codec.ts';
import { createRecord } from './record-create.ts';
import { beginSnapshot, finishSnapshot } from './record-snapshot.ts';
import type { ReplicaRecord } from './replica-record.ts';

const empty = createRecord({ volume: 'v', volumeUid: 'u', replica: 'r', sizeBytes: 4096n, state: 'new' });
const taken = (name: string) => ({ name, createdAt: '2030-01-01T00:00:00Z', userCreated: false, labels: {} });
const two = finishSnapshot(beginSnapshot(empty, taken('a')));
const [first, second] = two.layers;

const rows: readonly [string, object][] = [
  ['a format of the future', { ...two, format: 2 }],
  ['a size that is a number', { ...two, sizeBytes: 4096 }],
  ['no layers', { ...two, layers: [] }],
  ['a head that it does not have', { ...two, head: 9 }],
  ['a frozen head', { ...two, head: 0 }],
  ['a layer twice', { ...two, layers: [first, { ...first }, second] }],
  ['a file of two layers', { ...two, layers: [first, { ...second, file: 'layer-0.qcow2' }] }],
  ['a file outside of its folder', { ...two, layers: [first, { ...second, file: '../layer-1.qcow2' }] }],
  ['a layer that stands on itself', { ...two, layers: [{ ...first, parent: 0 }, second] }],
  [
    'a layer that stands on the head',
    {
      ...two,
      layers: [
        { ...first, parent: 1 },
        { ...second, parent: null },
      ],
    },
  ],
  ['a layer that stands on nothing that is there', { ...two, layers: [first, { ...second, parent: 7 }] }],
  ['a layer of an id that could come again', { ...two, nextId: 1 }],
  ['garbage that is a layer', { ...two, pending: [{ kind: 'garbage', file: 'layer-0.qcow2' }] }],
  ['a step that is not known', { ...two, pending: [{ kind: 'explode' }] }],
  ['a merge of no two layers', { ...two, pending: [{ kind: 'merge', child: 0, into: 1 }] }],
  ['a length of a file that is no count', { ...two, layers: [{ ...first, fileBytesMin: '4096' }, second] }],
  ['a state that is not known', { ...two, state: 'fine' }],
];

describe('parseRecord', () => {
  it.each(rows)('rejects %s', (_, broken) => {
    expect(() => parseRecord(JSON.stringify(broken), 'x')).toThrow(
      expect.objectContaining({ code: 'REPLICA_CORRUPT', nextStep: expect.any(String) }),
    );
  });

  it('reads what it writes', () => {
    expect(parseRecord(recordText(two), 'x')).toEqual(two);
    const known = withFileBytes(two, 0, 8192);
    expect(known.layers[0]).toMatchObject({ fileBytesMin: 8192 });
    expect(parseRecord(recordText(known), 'x')).toEqual(known);
  });

  it('rejects truncated text, and accepts or rejects changed text without any other error', () => {
    const text = recordText(beginSnapshot(two, taken('b')));
    for (let length = 0; length < text.length - 1; length++)
      expect(codeOf(text.slice(0, length))).toBe('REPLICA_CORRUPT');
    fc.assert(
      fc.property(fc.nat(text.length - 2), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
        expect(['REPLICA_CORRUPT', undefined]).toContain(codeOf(text.slice(0, at) + other + text.slice(at + 1)));
      }),
    );
  });
});

function codeOf(text: string): string | undefined {
  try {
    parseRecord(text, 'x') satisfies ReplicaRecord;
    return undefined;
  } catch (error) {
    return isAppError(error) ? error.code : 'another error';
  }
}
