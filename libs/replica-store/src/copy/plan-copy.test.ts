import { describe, expect, it } from 'vitest';
import { createRecord } from '../record/record-create.ts';
import { beginSnapshot, finishSnapshot } from '../record/record-snapshot.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { planCopy, sourceLayers } from './plan-copy.ts';

const facts = (name: string) => ({ name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} });
const empty = createRecord({ volume: 'v', volumeUid: 'u', replica: 'r', sizeBytes: 8192n, state: 'new' });
const three = ['a', 'b', 'c'].reduce((so, name) => finishSnapshot(beginSnapshot(so, facts(name))), empty);

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
const copied = (ours: ReplicaRecord, theirs = source) =>
  planCopy(ours, theirs).copy.map(({ snapshot }) => snapshot.name);

describe('planCopy', () => {
  it('copies each layer after the one that it stands on', () => {
    expect(copied(empty)).toEqual(['a', 'b', 'c']);
    expect(source.map(({ parent }) => parent)).toEqual([undefined, 'a', 'b']);
  });
  it('keeps what has an equal sum', () => {
    expect(planCopy(withSums('1', '2', '3'), source)).toEqual({ drop: [], copy: [] });
  });
  it.each([
    ['another sum', withSums('1', 'x', '3')],
    ['no sum, as after a merge', withSums('1', undefined, '3')],
  ])('copies a layer with %s again, and all that stands on it', (_, ours) => {
    expect(copied(ours)).toEqual(['b', 'c']);
    expect(planCopy(ours, source).drop).toEqual([1, 2]);
  });
  it('copies what the source has no sum of', () => {
    expect(copied(withSums('1', '2', '3'), sourceLayers(withSums('1', '2')))).toEqual(['c']);
  });
  it('drops what the source does not have any more', () => {
    expect(planCopy(withSums('1', '2', '3'), source.slice(0, 2))).toEqual({ drop: [2], copy: [] });
  });
});
