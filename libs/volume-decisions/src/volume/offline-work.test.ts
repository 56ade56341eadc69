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
  ['lacks one', needs([a, b]), true],
  ['lacks one that failed where it can be rebuilt', needs([a, b, failed('n3')]), true],
  ['lacks one without a place, and no other can be rebuilt', needs([a, b, failed('down'), homeless]), false],
  ['lacks one without a place, and the failed one can be rebuilt', needs([a, b, failed('n3'), homeless]), true],
  ['is rebuilding one', needs([a, b, failed('n3', { desireState: 'running', healthyAt: '' }), homeless]), true],
  ['lacks all of them', needs([failed('n3')]), false],
  ['was never attached', needs([homeless]), false],
  ['is faulted', needs([a, b], {}, { robustness: 'faulted' }), false],
  ['has its content still to come', needs([a, b], { fromBackup: 's3://b@r/?backup=x&volume=y' }), false],
  ['says no, whatever the setting', needs([a, b], { offlineRebuilding: 'disabled' }, {}, 'true'), false],
  ['leaves it to the setting, which says yes', needs([a, b], { offlineRebuilding: 'ignored' }, {}, 'true'), true],
  ['leaves it to the setting, which says no', needs([a, b], { offlineRebuilding: 'ignored' }), false],
])('a volume that %s: whether it is attached for its replicas', (_title, is, wanted) => {
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
  ['nothing is to leave', { cluster: aCluster(...nodes) }, undefined],
  ['one is to leave, and another place is free', {}, leaves],
  [
    'the only other place is to be emptied, too',
    { cluster: evicted('n3', 'n4') },
    'a place for the replica that takes over from c',
  ],
  [
    'the other one is there, without its data yet',
    { replicas: [a, b, aReplica('c', 'n3'), aReplica('d', 'n4', { healthyAt: '' })], cluster: evicted('n3', 'n1') },
    leaves,
  ],
  ['its node is down', { downNodes: new Set(['n3']) }, undefined],
  [
    'it is on its way out',
    { replicas: [a, b, aReplica('c', 'n3', {}, { deletionTimestamp: '2026-03-01T00:00:00Z' })] },
    undefined,
  ],
  [
    'the volume is bound to its node',
    { volume: aVolumeObject({ dataLocality: 'strict-local', numberOfReplicas: 1 }) },
    undefined,
  ],
  ['the volume stands by', { volume: aVolumeObject({ Standby: true }) }, undefined],
] as const)('a detached volume of which %s', (_title, parts, expected) => {
  const done = work(parts);
  if (typeof expected === 'string') expect(done).toEqual({ waitsFor: expect.stringContaining(expected) });
  else expect(done).toEqual(expected);
});

it('a volume that is to lose one and lacks another is attached for the one that it lacks, where it is rebuilt detached', () => {
  const volume = aVolumeObject({ offlineRebuilding: 'enabled' }, { state: 'detached' });
  expect(work({ volume, replicas: [a, aReplica('c', 'n3')] })).toEqual({ ticket: 'volume-rebuilding-controller' });
});

it('a node that is drained loses the last replica of a volume, until another one has the data and takes its place', () => {
  const setting = { apiVersion: 'longhorn.io/v1beta2', kind: 'Setting', metadata: { name: 'node-drain-policy' } };
  const { settings } = readSettings([{ ...setting, value: 'block-for-eviction-if-contains-last-replica' }]);
  const cluster = aCluster(...nodes.map((node) => (node.name === 'n1' ? { ...node, cordoned: true } : node)));
  const volume = aVolumeObject({ numberOfReplicas: 1 }, { state: 'detached' });
  expect(work({ settings, cluster })).toBeUndefined();
  expect(work({ settings, cluster, volume, replicas: [a] })).toEqual(leaves);
  expect(work({ settings, cluster, volume, replicas: [a, b] })).toEqual(leaves);
  expect(work({ settings, cluster, volume, replicas: [b] })).toBeUndefined();
});
