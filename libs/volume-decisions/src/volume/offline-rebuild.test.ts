import type { Replica, ReplicaSpec, VolumeSpec, VolumeStatus } from '@lateen/storage-types';
import { expect, it } from 'vitest';
import { aCluster, aNode } from '../scheduler/example-cluster.ts';
import { readSettings } from '../settings/read-settings.ts';
import { anEngine, aReplica, aVolumeObject } from './example-volume.ts';
import { needsOfflineRebuild } from './offline-rebuild.ts';

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
