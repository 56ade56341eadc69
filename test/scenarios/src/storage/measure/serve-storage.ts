import { once } from 'node:events';
import type { Lease } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import type { KubeObject, ResourceType } from '@lateen/kube';
import {
  backupTargetType,
  backupType,
  backupVolumeType,
  engineImageType,
  engineType,
  instanceManagerType,
  longhornNodeType,
  orphanType,
  recurringJobType,
  replicaType,
  settingType,
  snapshotType,
  type Volume,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { fakeCluster, serveFakeCluster } from '@lateen/testing';
import { managerLeaseName } from '@lateen/volume-decisions';
import { countCalls } from '../../simulation/count-calls.ts';
import { aKubernetesNode, anInstanceManager, aStorageNode, aVolume, namespace } from '../storage-objects.ts';

/*
 * For benchmarks of a real manager: serves an API server in memory over HTTP with that many volumes of three replicas each, all assigned to
 * the manager of n1. `node serve-storage.ts <volumes>` prints one line of JSON with the URL, and, a minute after the replicas of all
 * volumes are scheduled, another one with the calls; ends when its standard input ends.
 */
const [volumes = 0] = process.argv.slice(2).map(Number);
if (!Number.isInteger(volumes) || volumes < 1) throw new TypeError('usage: serve-storage.ts <volumes>');

const [self, ...others] = ['n1', 'n2', 'n3', 'n4', 'n5'] as const;
const restMs = 60_000;

/** Managers of the other nodes are present, and do nothing. */
const leaseOf = (node: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: managerLeaseName(node), namespace },
  spec: { holderIdentity: node, leaseDurationSeconds: 3_600, renewTime: new Date(systemClock.now()).toISOString() },
});

/** Registers the kinds, so that paths of requests are understood. */
const definitionOf = ({ group, version, resource, kind }: ResourceType): KubeObject & Record<string, unknown> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${resource}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: resource, kind },
    versions: [{ name: version, served: true, storage: true }],
  },
});

const kinds: readonly ResourceType[] = [
  ...[volumeType, engineType, replicaType, snapshotType, volumeAttachmentObjectType, settingType, orphanType],
  ...[longhornNodeType, instanceManagerType, engineImageType, recurringJobType],
  ...[backupType, backupTargetType, backupVolumeType],
];

const owned = (volume: Volume): Volume => ({ ...volume, status: { ownerID: self } });

const cluster = fakeCluster({
  clock: systemClock,
  objects: [
    ...kinds.map(definitionOf),
    ...[self, ...others].flatMap((node) => [aKubernetesNode(node), aStorageNode(node), anInstanceManager(node)]),
    ...others.map(leaseOf),
    ...Array.from({ length: volumes }, (_, index) => owned(aVolume(`vol-${index}`))),
  ],
});

const placed = (): number =>
  cluster.all(replicaType, namespace).filter(({ spec }) => (spec.nodeID ?? '') !== '').length;
const detached = (): number =>
  cluster.all(volumeType, namespace).filter(({ status }) => status?.state === 'detached').length;

const served = await serveFakeCluster(cluster);
console.log(JSON.stringify({ url: served.url }));
const over = once(process.stdin.resume(), 'end');
const stop = new AbortController();
void over.then(() => stop.abort());
while (!stop.signal.aborted && (placed() < 3 * volumes || detached() < volumes))
  await systemClock.sleep(500, stop.signal).catch(() => {});
await systemClock.sleep(restMs, stop.signal).catch(() => {});
const replicas = cluster.all(replicaType, namespace).length;
console.log(JSON.stringify({ completed: detached(), open: replicas, calls: countCalls(cluster.calls) }));
await over;
process.exit(0);
