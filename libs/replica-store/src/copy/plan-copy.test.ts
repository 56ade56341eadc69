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

/** The sums of a, b and c; undefined where there is none. */
const withSums = (...sums: readonly (string | undefined)[]): ReplicaRecord => ({
  ...three,
  layers: three.layers.map((layer, index) => {
    const sha256 = sums[index];
    if (layer.snapshot === undefined || sha256 === undefined) return layer;
    return { ...layer, snapshot: { ...layer.snapshot, sum: { sha256, at: 't' } } };
  }),
});
const source = sourceLayers(withSums('1', '2', '3'));

/** The plan of a replica that had these layers and is being rebuilt. */
function planned(ours: ReplicaRecord, theirs = source) {
  const { drop, copy } = planCopy(beginRebuild(ours, 8192n), theirs);
  return { drop, copy: copy.map(({ snapshot }) => snapshot.name) };
}

describe('planCopy', () => {
  it('copies each layer after the one that it stands on', () => {
    expect(planned(empty)).toEqual({ drop: [], copy: ['a', 'b', 'c'] });
    expect(source.map(({ parent }) => parent)).toEqual([undefined, 'a', 'b']);
  });
  it('keeps what has an equal sum', () => {
    expect(planned(withSums('1', '2', '3'))).toEqual({ drop: [], copy: [] });
  });
  it.each([
    ['another sum', withSums('1', 'x', '3')],
    ['no sum, as after a merge', withSums('1', undefined, '3')],
  ])('copies a layer with %s again, and all that stands on it', (_, ours) => {
    expect(planned(ours)).toEqual({ drop: [1, 2], copy: ['b', 'c'] });
  });
  it('copies what the source has no sum of', () => {
    expect(planned(withSums('1', '2', '3'), sourceLayers(withSums('1', '2')))).toEqual({ drop: [2], copy: ['c'] });
  });
  it('drops what the source does not have any more', () => {
    expect(planned(withSums('1', '2', '3'), source.slice(0, 2))).toEqual({ drop: [2], copy: [] });
  });
  it('leaves alone what was frozen here while the head stood on nothing: it is put below the head with it', () => {
    const frozen = taken(beginRebuild(three, 8192n), 'meanwhile');
    const theirs = sourceLayers(taken(withSums('1', '2', '3'), 'meanwhile'));
    expect(planCopy(frozen, theirs).copy.map(({ snapshot }) => snapshot.name)).toEqual(['a', 'b', 'c']);
  });
});
