import { describe, expect, it } from 'vitest';
import { findSnapshot, pathDown } from './layer-tree.ts';
import { checkIdentity, createRecord } from './record-create.ts';
import { beginGrow, finishGrow, takeBackGrow } from './record-grow.ts';
import { beginMerge, finishMerge, planPurge } from './record-merge.ts';
import { promiseRecord } from './record-promise.ts';
import { addCopied, attachHead, beginRebuild, dropTree } from './record-rebuild.ts';
import { beginRevert, finishRevert } from './record-revert.ts';
import { beginSnapshot, finishSnapshot, markRemoved } from './record-snapshot.ts';
import type { ReplicaRecord } from './replica-record.ts';
import { treeProblem } from './tree-problem.ts';

const identity = { volume: 'v', volumeUid: 'u', replica: 'r' };
const empty: ReplicaRecord = { ...createRecord({ ...identity, sizeBytes: 8192n, state: 'new' }), pending: [] };
const facts = (name: string) => ({ name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} });
const taken = (record: ReplicaRecord, ...names: string[]) =>
  names.reduce((so, name) => finishSnapshot(beginSnapshot(so, facts(name))), record);
const removed = (record: ReplicaRecord, ...names: string[]) => names.reduce(markRemoved, record);
const thrown = (code: string) => expect.objectContaining({ code });

describe('promiseRecord', () => {
  const five = promiseRecord(empty, { generation: 5, engine: 'e-0' });
  it('accepts a newer generation, and the same one again from the same engine', () => {
    expect(five).toMatchObject({ generation: 5, engine: 'e-0' });
    expect(promiseRecord(five, { generation: 5, engine: 'e-0' })).toEqual(five);
    expect(promiseRecord(five, { generation: 6, engine: 'e-1' }).generation).toBe(6);
  });
  it.each([
    ['an older generation', 4, 'e-0'],
    ['the same generation of another engine', 5, 'e-1'],
  ])('rejects %s', (_, generation, engine) => {
    expect(() => promiseRecord(five, { generation, engine })).toThrow(thrown('GENERATION_OVER'));
  });
  it.each([0, -1, 1.5, Number.NaN])('rejects generation %d', (generation) => {
    expect(() => promiseRecord(empty, { generation, engine: 'e' })).toThrow(thrown('NOT_POSSIBLE_NOW'));
  });
});

describe('checkIdentity', () => {
  it.each(['volume', 'volumeUid', 'replica'] as const)('rejects another %s', (name) => {
    expect(() => checkIdentity(empty, { ...identity, [name]: 'other' })).toThrow(thrown('REPLICA_FOREIGN'));
    expect(() => checkIdentity(empty, identity)).not.toThrow();
  });
});

describe('planPurge', () => {
  it('merges into a removed layer, and keeps the layer below the head', () => {
    const record = removed(taken(empty, 'a', 'b', 'c'), 'a', 'c');
    expect(planPurge(record)).toEqual({
      steps: [{ kind: 'merge', child: 1, into: 0 }],
      waiting: [{ snapshot: 'c', because: 'below the head' }],
    });
  });
  it('keeps a removed layer with two children, and drops one without children', () => {
    const three = taken(empty, 'a', 'b', 'c');
    const { record, file } = beginRevert(three, 'a');
    const branched = removed(taken(finishRevert(record, 'a', file), 'd'), 'a', 'c');
    expect(planPurge(branched)).toEqual({
      steps: [{ kind: 'drop', layer: findSnapshot(branched, 'c')?.id }],
      waiting: [{ snapshot: 'a', because: 'two layers build on it' }],
    });
  });
  it('handles adjacent layers one after the other, and drops a removed branch without copying', () => {
    const record = removed(taken(empty, 'a', 'b', 'c'), 'a', 'b');
    expect(planPurge(record).steps).toEqual([{ kind: 'merge', child: 1, into: 0 }]);
    const { record: begun, file } = beginRevert(taken(empty, 'a', 'b', 'c'), 'a');
    const branch = removed(finishRevert(begun, 'a', file), 'b', 'c');
    expect(planPurge(branch).steps).toEqual([{ kind: 'drop', layer: 2 }]);
  });
  it('rejects a merge that was not planned', () => {
    expect(() => beginMerge(taken(empty, 'a', 'b'), 1, 0)).toThrow(thrown('NOT_POSSIBLE_NOW'));
  });
});

describe('a merge', () => {
  it('clears the checksums of both layers, keeps the name of the child for the lower file, and relinks the children', () => {
    const three = taken(empty, 'a', 'b', 'c');
    const summed = {
      ...three,
      layers: three.layers.map((l) =>
        l.snapshot ? { ...l, snapshot: { ...l.snapshot, sum: { sha256: 'x', at: 't' } } } : l,
      ),
    };
    const begun = beginMerge(removed(summed, 'a'), 1, 0);
    expect(begun.layers.map((layer) => layer.snapshot?.sum?.sha256)).toEqual([undefined, undefined, 'x', undefined]);
    const merged = finishMerge(begun);
    expect(findSnapshot(merged, 'b')).toMatchObject({ id: 1, file: 'layer-0.qcow2', parent: null });
    expect(merged.pending).toEqual([
      { kind: 'relink', layer: 1 },
      { kind: 'relink', layer: 2 },
      { kind: 'garbage', file: 'layer-1.qcow2' },
    ]);
  });
});

describe('growth', () => {
  it('changes only the head, and rejects a smaller or unaligned size', () => {
    const grown = finishGrow(beginGrow(taken(empty, 'a'), 16384n));
    expect(grown.layers.map(({ sizeBytes }) => sizeBytes)).toEqual(['8192', '16384']);
    expect(takeBackGrow(beginGrow(empty, 16384n))).toEqual(empty);
    for (const size of [4096n, 0n, -4096n, 8193n, 2n ** 63n]) {
      expect(() => beginGrow(empty, size)).toThrow(thrown('SIZE_REFUSED'));
    }
  });
});

describe('a rebuild', () => {
  const stale = taken(empty, 'a', 'b');
  const snapshot = { ...facts('r'), removed: false };

  it('discards the stale head instead of merging it, and keeps the layers for comparison', () => {
    const begun = beginRebuild(stale, 16384n);
    expect(treeProblem(begun)).toBeUndefined();
    expect(begun).toMatchObject({ state: 'rebuilding', sizeBytes: '16384', head: 3 });
    expect(pathDown(begun, begun.head).map(({ id }) => id)).toEqual([3]);
    expect(begun.pending).toEqual([{ kind: 'garbage', file: 'layer-2.qcow2' }, { kind: 'create' }]);
    expect(begun.layers.map((layer) => layer.snapshot?.name)).toEqual(['a', 'b', undefined]);
  });

  it('drops a layer that differs with all layers above it, and puts the head onto the newest layer at the end', () => {
    const rest = dropTree(beginRebuild(stale, 8192n), 1);
    const noted = { ...rest, pending: [...rest.pending, { kind: 'garbage', file: 'layer-9.qcow2' } as const] };
    const copied = addCopied(noted, { file: 'layer-9.qcow2', parent: 'a', sizeBytes: 8192n, snapshot });
    const whole = attachHead(copied, 'r');
    expect(treeProblem(whole)).toBeUndefined();
    expect(whole.state).toBe('whole');
    expect(pathDown(whole, whole.head).map((layer) => layer.snapshot?.name)).toEqual([undefined, 'r', 'a']);
    expect(attachHead(whole, 'r')).toBe(whole);
  });

  it('discards layers frozen during an earlier attempt when it begins again', () => {
    const again = beginRebuild(taken(beginRebuild(stale, 8192n), 'meanwhile'), 8192n);
    expect(findSnapshot(again, 'meanwhile')).toBeUndefined();
    expect(findSnapshot(again, 'b')).toBeDefined();
    expect(treeProblem(again)).toBeUndefined();
  });

  it('rejects a layer whose parent is missing', () => {
    const begun = beginRebuild(empty, 8192n);
    expect(() => addCopied(begun, { file: 'layer-9.qcow2', parent: 'a', sizeBytes: 8192n, snapshot })).toThrow(
      thrown('SNAPSHOT_NOT_FOUND'),
    );
  });
});
