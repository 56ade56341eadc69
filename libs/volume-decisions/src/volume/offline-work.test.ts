import type { Replica, ReplicaSpec, VolumeSpec, VolumeStatus } from '@lateen/storage-types';
import { expect, it } from 'vitest';
import { aCluster, aNode } from '../scheduler/example-cluster.ts';
import { readSettings } from '../settings/read-settings.ts';
import { anEngine, aReplica, aVolumeObject } from './example-volume.ts';
import { needsOfflineRebuild, offlineWork } from './offline-work.ts';

const [a, b] = [aReplica('a', 'n1'), aReplica('b', 'n2')];
const failed = (node: string, spec: Partial<ReplicaSpec> = {}): Replica =>
  aReplica('c', node, { image: 'image', failedAt: '2026-02-28T23:00:00Z', ...spec });
const homeless = aReplica('d', '', { healthyAt: '' });
const needs = (
  replicas: readonly Replica[],
  spec: Partial<VolumeSpec> = {},
  status: VolumeStatus = {},
  setting = 'false',
) => {
  const { settings } = readSettings([
    {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Setting',
      metadata: { name: 'offline-replica-rebuilding' },
      value: setting,
    },
  ]);
  return needsOfflineRebuild({
    volume: aVolumeObject({ offlineRebuilding: 'enabled', ...spec }, { state: 'detached', ...status }),
    engine: anEngine({}),
    replicas,
    cluster: aCluster(aNode('n1'), aNode('n2'), aNode('n3'), aNode('down', { ready: false })),
    settings,
  });
};

it.each([
  ['has all its replicas', needs([a, b, aReplica('c', 'n3')]), false],
  ['lacks one replica', needs([a, b]), true],
  ['lacks a replica that failed on a node where it can be rebuilt', needs([a, b, failed('n3')]), true],
  ['has a replica without a place, and no other can be rebuilt', needs([a, b, failed('down'), homeless]), false],
  ['has a replica without a place, and the failed one can be rebuilt', needs([a, b, failed('n3'), homeless]), true],
  ['is rebuilding a replica', needs([a, b, failed('n3', { desireState: 'running', healthyAt: '' }), homeless]), true],
  ['lacks all of them', needs([failed('n3')]), false],
  ['was never attached', needs([homeless]), false],
  ['is faulted', needs([a, b], {}, { robustness: 'faulted' }), false],
  ['has incomplete content', needs([a, b], { fromBackup: 's3://b@r/?backup=x&volume=y' }), false],
  [
    'disables offline rebuilding, whatever the setting',
    needs([a, b], { offlineRebuilding: 'disabled' }, {}, 'true'),
    false,
  ],
  ['follows the setting, which is on', needs([a, b], { offlineRebuilding: 'ignored' }, {}, 'true'), true],
  ['follows the setting, which is off', needs([a, b], { offlineRebuilding: 'ignored' }), false],
])('needs attachment for an offline rebuild: a volume that %s', (_title, is, wanted) => {
  expect(is).toBe(wanted);
});

const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name));
const evicted = (...names: string[]) =>
  aCluster(...nodes.map((node) => (names.includes(node.name) ? { ...node, evictionRequested: true } : node)));
const work = (parts: Partial<Parameters<typeof offlineWork>[0]>) =>
  offlineWork(
    {
      volume: aVolumeObject({}, { state: 'detached' }),
      engine: anEngine({}),
      replicas: [a, b, aReplica('c', 'n3')],
      cluster: evicted('n3'),
      downNodes: new Set(),
      settings: readSettings([]).settings,
      ...parts,
    },
    Date.UTC(2026, 2, 1),
  );
const leaves = { ticket: 'volume-eviction-controller' };

it.each([
  ['no replica is to be evicted', { cluster: aCluster(...nodes) }, undefined],
  ['one replica is to be evicted, and another place is free', {}, leaves],
  [
    'the only other place is to be evicted, too',
    { cluster: evicted('n3', 'n4') },
    'a place for the replica that takes over from c',
  ],
  [
    'the replacement exists, but has no data yet',
    { replicas: [a, b, aReplica('c', 'n3'), aReplica('d', 'n4', { healthyAt: '' })], cluster: evicted('n3', 'n1') },
    leaves,
  ],
  ['the node of the evicted replica is down', { downNodes: new Set(['n3']) }, undefined],
  [
    'the evicted replica is already being deleted',
    { replicas: [a, b, aReplica('c', 'n3', {}, { deletionTimestamp: '2026-03-01T00:00:00Z' })] },
    undefined,
  ],
  [
    'strict-local binds the replica to its node',
    { volume: aVolumeObject({ dataLocality: 'strict-local', numberOfReplicas: 1 }) },
    undefined,
  ],
  ['the volume is a standby volume', { volume: aVolumeObject({ Standby: true }) }, undefined],
] as const)('needs attachment for an eviction: a detached volume when %s', (_title, parts, expected) => {
  const done = work(parts);
  if (typeof expected === 'string') expect(done).toEqual({ waitsFor: expect.stringContaining(expected) });
  else expect(done).toEqual(expected);
});

it('attaches for the missing replica first when one replica is missing and another is to be evicted', () => {
  const volume = aVolumeObject({ offlineRebuilding: 'enabled' }, { state: 'detached' });
  expect(work({ volume, replicas: [a, aReplica('c', 'n3')] })).toEqual({ ticket: 'volume-rebuilding-controller' });
});

it('evicts the last replica of a volume from a drained node only until another replica has the data', () => {
  const setting = { apiVersion: 'longhorn.io/v1beta2', kind: 'Setting', metadata: { name: 'node-drain-policy' } };
  const { settings } = readSettings([{ ...setting, value: 'block-for-eviction-if-contains-last-replica' }]);
  const cluster = aCluster(...nodes.map((node) => (node.name === 'n1' ? { ...node, cordoned: true } : node)));
  const volume = aVolumeObject({ numberOfReplicas: 1 }, { state: 'detached' });
  expect(work({ settings, cluster })).toBeUndefined();
  expect(work({ settings, cluster, volume, replicas: [a] })).toEqual(leaves);
  expect(work({ settings, cluster, volume, replicas: [a, b] })).toEqual(leaves);
  expect(work({ settings, cluster, volume, replicas: [b] })).toBeUndefined();
});
