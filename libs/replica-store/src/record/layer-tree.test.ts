import { describe, expect, it } from 'vitest';
import { findSnapshot, layerOf, withFileBytes } from './layer-tree.ts';
import { createRecord } from './record-create.ts';
import { beginMerge, finishMerge, takeBackMerge } from './record-merge.ts';
import { beginSnapshot, finishSnapshot, markRemoved } from './record-snapshot.ts';
import type { ReplicaRecord } from './replica-record.ts';

const empty = createRecord({ volume: 'v', volumeUid: 'u', replica: 'r', sizeBytes: 4096n, state: 'new' });
const frozen = (record: ReplicaRecord, name: string) =>
  finishSnapshot(beginSnapshot(record, { name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} }));
const two = markRemoved(frozen(frozen(empty, 'a'), 'b'), 'a');

describe('the recorded minimum length of a file', () => {
  it('never decreases, and leaves the record unchanged when equal', () => {
    const known = withFileBytes(two, 1, 9000);
    expect(layerOf(known, 1).fileBytesMin).toBe(9000);
    expect(withFileBytes(known, 1, 9000)).toBe(known);
    expect(withFileBytes(known, 1, 8999)).toBe(known);
    expect(layerOf(withFileBytes(known, 1, 9001), 1).fileBytesMin).toBe(9001);
  });

  it.each([5000, undefined])(
    'after a merge is that of the remaining file (%s), not that of the deleted file',
    (into) => {
      const child = withFileBytes(two, 1, 9000);
      const begun = beginMerge(into === undefined ? child : withFileBytes(child, 0, into), 1, 0);
      const merged = findSnapshot(finishMerge(begun), 'b');
      expect(merged).toMatchObject({ file: 'layer-0.qcow2' });
      expect(merged?.fileBytesMin).toBe(into);
      expect(findSnapshot(takeBackMerge(begun), 'b')).toMatchObject({ file: 'layer-1.qcow2', fileBytesMin: 9000 });
    },
  );

  it('stays with a frozen head, and the new head has none', () => {
    const after = frozen(withFileBytes(two, two.head, 7000), 'c');
    expect(findSnapshot(after, 'c')?.fileBytesMin).toBe(7000);
    expect(layerOf(after, after.head).fileBytesMin).toBeUndefined();
  });
});
