import { describe, expect, it } from 'vitest';
import { createRecord } from '../record/record-create.ts';
import { beginRebuild } from '../record/record-rebuild.ts';
import { beginSnapshot, finishSnapshot } from '../record/record-snapshot.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { planCopy, sourceLayers } from './plan-copy.ts';

const facts = (name: string) => ({ name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} });
const taken = (record: ReplicaRecord, name: string) => finishSnapshot(beginSnapshot(record, facts(name)));
const empty = createRecord({ volume: 'v', volumeUid: 'u', replica: 'r', sizeBytes: 8192n, state: 'new' });
const three = ['a', 'b', 'c'].reduce(taken, empty);

/** The checksums of a, b and c; undefined for none. */
const withSums = (...sums: readonly (string | undefined)[]): ReplicaRecord => ({
  ...three,
  layers: three.layers.map((layer, index) => {
    const sha256 = sums[index];
    if (layer.snapshot === undefined || sha256 === undefined) return layer;
    return { ...layer, snapshot: { ...layer.snapshot, sum: { sha256, at: 't' } } };
  }),
});
const source = sourceLayers(withSums('1', '2', '3'));

/** The plan for a replica that had these layers and is being rebuilt. */
function planned(ours: ReplicaRecord, theirs = source) {
  const { drop, copy } = planCopy(beginRebuild(ours, 8192n), theirs);
  return { drop, copy: copy.map(({ snapshot }) => snapshot.name) };
}

describe('planCopy', () => {
  it('copies each layer after its parent', () => {
    expect(planned(empty)).toEqual({ drop: [], copy: ['a', 'b', 'c'] });
    expect(source.map(({ parent }) => parent)).toEqual([undefined, 'a', 'b']);
  });
  it('keeps layers with an equal checksum', () => {
    expect(planned(withSums('1', '2', '3'))).toEqual({ drop: [], copy: [] });
  });
  it.each([
    ['another checksum', withSums('1', 'x', '3')],
    ['no checksum, as after a merge', withSums('1', undefined, '3')],
  ])('copies a layer with %s again, and all layers above it', (_, ours) => {
    expect(planned(ours)).toEqual({ drop: [1, 2], copy: ['b', 'c'] });
  });
  it('copies layers for which the source has no checksum', () => {
    expect(planned(withSums('1', '2', '3'), sourceLayers(withSums('1', '2')))).toEqual({ drop: [2], copy: ['c'] });
  });
  it('drops layers that the source no longer has', () => {
    expect(planned(withSums('1', '2', '3'), source.slice(0, 2))).toEqual({ drop: [2], copy: [] });
  });
  it('does not copy a layer that was frozen here during the rebuild, because it moves below the head later', () => {
    const frozen = taken(beginRebuild(three, 8192n), 'meanwhile');
    const theirs = sourceLayers(taken(withSums('1', '2', '3'), 'meanwhile'));
    expect(planCopy(frozen, theirs).copy.map(({ snapshot }) => snapshot.name)).toEqual(['a', 'b', 'c']);
  });
});
