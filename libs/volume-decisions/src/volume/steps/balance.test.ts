import { storageAnnotations, type VolumeSpec } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aCluster, aNode } from '../../scheduler/example-cluster.ts';
import { decideVolume } from '../decide-volume.ts';
import type { VolumeSeen } from '../volume-seen.ts';
import { crowded, engineOf, nowMs, replacing, replica, volumeOf } from './example-balance.ts';

const decide = (parts: Partial<VolumeSeen> = {}, spec: Partial<VolumeSpec> = {}) =>
  decideVolume(crowded(parts, spec), nowMs);

describe('balance of a volume', () => {
  it('makes a replica where it is better, with its place, and says of which one it takes it and why', () => {
    const { effects, events } = decide();
    expect(effects).toMatchObject([
      {
        do: 'create-replica',
        object: {
          metadata: {
            annotations: {
              [storageAnnotations.replaces]: 'a',
              [storageAnnotations.replacesBecause]: 'node n1 has 2 replicas, n2 0',
            },
          },
          spec: { nodeID: 'n2', diskID: 'uuid-n2-a', healthyAt: '' },
        },
      },
    ]);
    expect(events.map(({ reason, after }) => [reason, after === effects[0]])).toEqual([['ReplicaMoves', true]]);
  });

  it.each<[string, Partial<VolumeSeen>, Partial<VolumeSpec>]>([
    ['when it is turned off', {}, { replicaAutoBalance: 'disabled' }],
    ['when volume and setting say nothing', {}, { replicaAutoBalance: 'ignored' }],
    ['while one is rebuilt', { engine: engineOf({ a: 'RW', b: 'WO' }) }, {}],
    ['while one is missing', { engine: engineOf({ a: 'RW' }), replicas: [replica('a', 'n1')] }, {}],
    [
      'while snapshots are merged',
      { engine: engineOf({ a: 'RW', b: 'RW' }, { purgeStatus: { a: { isPurging: true } } }) },
      {},
    ],
    ['while it grows', { engine: engineOf({ a: 'RW', b: 'RW' }, { isExpanding: true }) }, {}],
    ['while its engine moves', {}, { migrationNodeID: 'n2' }],
    ['while its content is still to come', {}, { fromBackup: 's3://b@r/?backup=x&volume=y' }],
    ['while as many are rebuilt there as may be', { rebuildsOn: new Map([['n2', 5]]) }, {}],
    ['while one is evicted', { replicas: [replica('a', 'n1', { evictionRequested: true }), replica('b', 'n1')] }, {}],
  ])('does nothing %s', (_, parts, spec) => {
    const made = decide(parts, spec).effects.flatMap((effect) => (effect.do === 'create-replica' ? effect.object : []));
    expect(made.filter(({ metadata }) => metadata.annotations?.[storageAnnotations.replaces] !== undefined)).toEqual(
      [],
    );
  });

  it('lets the old one go when the new one has all the data, and not before', () => {
    const three = [replica('a', 'n1'), replica('b', 'n1'), replica('c', 'n2', {}, replacing)];
    const coming = [...three.slice(0, 2), replica('c', 'n2', { healthyAt: '' }, replacing)];
    const deleted = (parts: Partial<VolumeSeen>) => decide(parts).effects.filter((effect) => effect.do === 'delete');
    expect(deleted({ replicas: coming, engine: engineOf({ a: 'RW', b: 'RW', c: 'WO' }) })).toEqual([]);
    const engine = engineOf({ a: 'RW', b: 'RW', c: 'RW' });
    expect(deleted({ replicas: three, engine })).toEqual([{ do: 'delete', kind: 'Replica', name: 'a' }]);
  });

  const vain = (name: string, node: string, agoMs: number) =>
    replica(
      name,
      node,
      { healthyAt: '', failedAt: new Date(nowMs - agoMs).toISOString(), desireState: 'stopped' },
      replacing,
    );
  const here = [replica('a', 'n1'), replica('b', 'n1')];
  const made = ({ effects }: ReturnType<typeof decide>) =>
    effects.flatMap((effect) => (effect.do === 'create-replica' ? (effect.object.spec.nodeID ?? '') : []));

  it('takes away one that could not be built ten minutes later, and until then goes nowhere near it', () => {
    const of = (agoMs: number) => decide({ replicas: [...here, vain('c', 'n2', agoMs)] });
    expect(of(599_000)).toMatchObject({ effects: [], again: { afterMs: 1_000 } });
    expect(of(600_000).effects).toEqual([{ do: 'delete', kind: 'Replica', name: 'c' }]);
  });

  it.each<[string, number[], string[], number | undefined]>([
    ['soon after one that failed', [29_000], [], 1_000],
    ['half a minute after one that failed', [30_000], ['n4'], undefined],
    ['a minute after the second one', [60_000, 200_000], ['n4'], undefined],
    ['before that', [59_000, 200_000], [], 1_000],
    ['after a clock has leapt', [-3_600_000], ['n4'], undefined],
  ])('goes to another node %s', (_, agoMs, nodes, afterMs) => {
    const cluster = aCluster(...['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name)));
    const failed = agoMs.map((ago, index) => vain(`c${index}`, `n${index + 2}`, ago));
    // Without this one of the nodes that failed would be as good.
    const closed = aCluster(
      ...[...cluster.nodes.values()].map((node) => (node.name === 'n3' ? { ...node, allowScheduling: false } : node)),
    );
    const decision = decide({ replicas: [...here, ...failed], cluster: closed });
    expect(made(decision)).toEqual(nodes);
    if (afterMs !== undefined) expect(decision.again?.afterMs).toBe(afterMs);
  });

  it('fails one whose node was lost before it was built, so that another node may have it', () => {
    const coming = replica('c', 'n2', { healthyAt: '', desireState: 'stopped' }, replacing);
    const { effects } = decide({ replicas: [...here, coming], downNodes: new Set(['n2']) });
    expect(effects).toMatchObject([{ do: 'rebuild-failed', replica: 'c', cause: 'node n2 is down' }]);
  });
});

describe('the local replica of a volume', () => {
  const away = { dataLocality: 'best-effort', replicaAutoBalance: 'disabled' } as const;
  const spread = { replicas: [replica('a', 'n2'), replica('b', 'n3')] };
  const three = { ...spread, cluster: aCluster(aNode('n1'), aNode('n2'), aNode('n3')) };
  const closed = aCluster(aNode('n1', { allowScheduling: false }), aNode('n2'), aNode('n3'));
  const scheduledOf = ({ status }: ReturnType<typeof decide>) =>
    status.conditions?.find(({ type }) => type === 'Scheduled');

  it('is made on the node of the volume, for the one that matters least', () => {
    const { effects } = decide(three, away);
    expect(effects).toMatchObject([
      {
        do: 'create-replica',
        object: { metadata: { annotations: { [storageAnnotations.replaces]: 'a' } }, spec: { nodeID: 'n1' } },
      },
    ]);
  });

  it.each<[string, Partial<VolumeSeen>, Partial<VolumeSpec>]>([
    ['when locality is disabled', three, { ...away, dataLocality: 'disabled' }],
    ['when one is there', { ...three, replicas: [replica('a', 'n1'), replica('b', 'n3')] }, away],
    ['when the manager itself has attached it', { ...three, offlineFor: 'volume-rebuilding-controller' }, away],
    ['while as many are rebuilt there as may be', { ...three, rebuildsOn: new Map([['n1', 5]]) }, away],
    ['while one is rebuilt', { ...three, engine: engineOf({ a: 'RW', b: 'WO' }) }, away],
    ['against hard anti-affinity of zones', three, { ...away, replicaZoneSoftAntiAffinity: 'disabled' }],
    ['on a node that takes none', { ...spread, cluster: closed }, away],
  ])('is not made %s', (_, parts, spec) => {
    expect(decide(parts, spec).effects.filter((effect) => effect.do === 'create-replica')).toEqual([]);
  });

  it('is said to be missing once, also when something else went on in between', () => {
    const first = decide({ ...spread, cluster: closed }, away);
    expect(first).toMatchObject({
      events: [{ type: 'Warning', reason: 'LocalReplicaSchedulingFailure' }],
      again: { afterMs: 300_000 },
    });
    const said = scheduledOf(first);
    expect(said).toMatchObject({ status: 'True', message: expect.stringContaining('n1 ') });
    const volume = volumeOf(away);
    const next = { ...volume, status: { ...volume.status, conditions: first.status.conditions ?? [] } };
    const merging = engineOf({ a: 'RW', b: 'RW' }, { purgeStatus: { a: { isPurging: true } } });
    for (const engine of [merging, engineOf({ a: 'RW', b: 'RW' })]) {
      const then = decide({ ...spread, cluster: closed, volume: next, engine });
      expect([then.events, scheduledOf(then)]).toEqual([[], said]);
    }
    const local = [replica('a', 'n1'), replica('b', 'n3')];
    expect(scheduledOf(decide({ replicas: local, cluster: closed, volume: next }))).toMatchObject({ reason: '' });
  });

  it('is tried again ten minutes after it could not be built', () => {
    const failed = { healthyAt: '', failedAt: '2026-02-28T23:50:01Z', desireState: 'stopped' as const };
    const replicas = [...spread.replicas, replica('c', 'n1', failed, replacing)];
    expect(decide({ ...three, replicas }, away)).toMatchObject({ effects: [], again: { afterMs: 1_000 } });
  });
});
