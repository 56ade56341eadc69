import { storageAnnotations, type VolumeSpec } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aCluster, aNode } from '../../scheduler/example-cluster.ts';
import { decideVolume } from '../decide-volume.ts';
import type { VolumeSeen } from '../volume-seen.ts';
import { crowded, engineOf, nowMs, replacing, replica, volumeOf } from './example-balance.ts';

const decide = (parts: Partial<VolumeSeen> = {}, spec: Partial<VolumeSpec> = {}) =>
  decideVolume(crowded(parts, spec), nowMs);

describe('balance of a volume', () => {
  it('creates a replica at a better place, and reports which replica it replaces and why', () => {
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
    ['while a replica is rebuilt', { engine: engineOf({ a: 'RW', b: 'WO' }) }, {}],
    ['while a replica is missing', { engine: engineOf({ a: 'RW' }), replicas: [replica('a', 'n1')] }, {}],
    [
      'while snapshots are merged',
      { engine: engineOf({ a: 'RW', b: 'RW' }, { purgeStatus: { a: { isPurging: true } } }) },
      {},
    ],
    ['while it grows', { engine: engineOf({ a: 'RW', b: 'RW' }, { isExpanding: true }) }, {}],
    ['while its engine moves', {}, { migrationNodeID: 'n2' }],
    ['while its content is still to come', {}, { fromBackup: 's3://b@r/?backup=x&volume=y' }],
    ['while the limit of rebuilds on that node is reached', { rebuildsOn: new Map([['n2', 5]]) }, {}],
    [
      'while a replica is evicted',
      { replicas: [replica('a', 'n1', { evictionRequested: true }), replica('b', 'n1')] },
      {},
    ],
  ])('does nothing %s', (_, parts, spec) => {
    const made = decide(parts, spec).effects.flatMap((effect) => (effect.do === 'create-replica' ? effect.object : []));
    expect(made.filter(({ metadata }) => metadata.annotations?.[storageAnnotations.replaces] !== undefined)).toEqual(
      [],
    );
  });

  it('deletes the old replica only when the new one has all data', () => {
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

  it('deletes a replica that could not be built after ten minutes, and does not use its place until then', () => {
    const of = (agoMs: number) => decide({ replicas: [...here, vain('c', 'n2', agoMs)] });
    expect(of(599_000)).toMatchObject({ effects: [], again: { afterMs: 1_000 } });
    expect(of(600_000).effects).toEqual([{ do: 'delete', kind: 'Replica', name: 'c' }]);
  });

  it.each<[string, number[], string[], number | undefined]>([
    ['until half a minute after the first failure', [29_000], [], 1_000],
    ['half a minute after the first failure', [30_000], ['n4'], undefined],
    ['a minute after the second failure', [60_000, 200_000], ['n4'], undefined],
    ['until a minute after the second failure', [59_000, 200_000], [], 1_000],
    ['after the clock jumped', [-3_600_000], ['n4'], undefined],
  ])('waits before it goes to another node: %s', (_, agoMs, nodes, afterMs) => {
    const cluster = aCluster(...['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name)));
    const failed = agoMs.map((ago, index) => vain(`c${index}`, `n${index + 2}`, ago));
    // With n3 open, it would be as good a target as n4.
    const closed = aCluster(
      ...[...cluster.nodes.values()].map((node) => (node.name === 'n3' ? { ...node, allowScheduling: false } : node)),
    );
    const decision = decide({ replicas: [...here, ...failed], cluster: closed });
    expect(made(decision)).toEqual(nodes);
    if (afterMs !== undefined) expect(decision.again?.afterMs).toBe(afterMs);
  });

  it('marks a new replica as failed when its node goes down before it is built, so that another node is chosen', () => {
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

  it('is created on the node of the volume, in place of the least important replica', () => {
    const { effects } = decide(three, away);
    expect(effects).toMatchObject([
      {
        do: 'create-replica',
        object: { metadata: { annotations: { [storageAnnotations.replaces]: 'a' } }, spec: { nodeID: 'n1' } },
      },
    ]);
  });

  it.each<[string, Partial<VolumeSeen>, Partial<VolumeSpec>]>([
    ['when data locality is disabled', three, { ...away, dataLocality: 'disabled' }],
    ['when a local replica exists', { ...three, replicas: [replica('a', 'n1'), replica('b', 'n3')] }, away],
    [
      'when the manager attached the volume for its own work',
      { ...three, offlineFor: 'volume-rebuilding-controller' },
      away,
    ],
    ['while the limit of rebuilds on that node is reached', { ...three, rebuildsOn: new Map([['n1', 5]]) }, away],
    ['while a replica is rebuilt', { ...three, engine: engineOf({ a: 'RW', b: 'WO' }) }, away],
    ['when hard zone anti-affinity forbids it', three, { ...away, replicaZoneSoftAntiAffinity: 'disabled' }],
    ['when scheduling is disabled on the node', { ...spread, cluster: closed }, away],
  ])('is not created %s', (_, parts, spec) => {
    expect(decide(parts, spec).effects.filter((effect) => effect.do === 'create-replica')).toEqual([]);
  });

  it('is reported as missing once, even when other work happens in between', () => {
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
