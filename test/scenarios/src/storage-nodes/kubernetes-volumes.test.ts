import {
  type Node,
  type PersistentVolume,
  type Pod,
  persistentVolumeType,
  podType,
  type VolumeAttachment,
  volumeAttachmentType,
} from '@lateen/api-types';
import { type Setting, type Volume, type VolumeStatus, volumeType } from '@lateen/storage-types';
import { aPersistentVolume, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aSetting, aStorageNode, namespace } from './storage-nodes-objects.ts';
import { StorageNodesWorld } from './storage-nodes-world.ts';

const aVolume = (status: VolumeStatus = {}): Volume => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Volume',
  metadata: { name: 'vol', namespace },
  spec: {},
  status: { ownerID: 'n1', ...status },
});
const bound = (): PersistentVolume => {
  const made = aPersistentVolume({ name: 'pv' });
  return {
    ...made,
    spec: {
      ...made.spec,
      csi: { driver: 'driver.longhorn.io', volumeHandle: 'vol' },
      claimRef: { namespace: 'shop', name: 'data' },
    },
    status: { phase: 'Bound' },
  };
};
const owner = (kind: string) => ({ apiVersion: 'apps/v1', kind, name: 'db', uid: 'u', controller: true });
const pod = (kind = 'StatefulSet', parts: { startTime?: string; nodeName?: string } = {}): Pod =>
  aPod({
    name: 'db-0',
    namespace: 'shop',
    phase: 'Running',
    metadata: { name: 'db-0', namespace: 'shop', ownerReferences: [owner(kind)] },
    nodeName: parts.nodeName ?? 'n2',
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    status: { startTime: parts.startTime ?? '2030-01-01T00:00:00Z' },
  });

async function running(volume: Volume, settings: readonly Setting[] = []): Promise<StorageNodesWorld> {
  const world = new StorageNodesWorld([aStorageNode('n1'), aStorageNode('n2')], [volume, bound(), ...settings]);
  world.start('n1');
  await world.pass(5);
  return world;
}
const statusOf = (world: StorageNodesWorld) =>
  world.cluster.find(volumeType, { namespace, name: 'vol' })?.status?.kubernetesStatus;
const podOf = (world: StorageNodesWorld) => world.cluster.find(podType, { namespace: 'shop', name: 'db-0' });

describe('the Kubernetes objects that use a volume', () => {
  it('are named in status while they exist, and with the time of their end afterwards', async () => {
    const world = await running(aVolume());
    world.cluster.put(pod());
    await world.pass(2);
    const workloads = [{ podName: 'db-0', podStatus: 'Running', workloadName: 'db', workloadType: 'StatefulSet' }];
    expect(statusOf(world)).toEqual({
      pvName: 'pv',
      pvStatus: 'Bound',
      namespace: 'shop',
      pvcName: 'data',
      lastPVCRefAt: '',
      workloadsStatus: workloads,
      lastPodRefAt: '',
    });
    world.cluster.remove(podType, { namespace: 'shop', name: 'db-0' });
    await world.pass(2);
    expect(statusOf(world)).toMatchObject({ workloadsStatus: workloads, lastPodRefAt: expect.stringMatching(/^2030/) });
    world.cluster.change(persistentVolumeType, { name: 'pv' }, (each) => {
      each.status = { phase: 'Released' };
    });
    await world.pass(2);
    expect(statusOf(world)).toMatchObject({
      pvStatus: 'Released',
      pvcName: 'data',
      lastPVCRefAt: expect.stringMatching(/^2030/),
    });
    world.cluster.remove(persistentVolumeType, { name: 'pv' });
    await world.pass(2);
    expect(statusOf(world)).toMatchObject({ pvName: '', pvStatus: '', pvcName: 'data' });
  });

  it('are not read for a volume that another manager is responsible for', async () => {
    const world = await running(aVolume({ ownerID: 'n9' }));
    expect(statusOf(world)).toBeUndefined();
  });
});

describe('pods that prevent their own recovery', () => {
  const lost = aVolume({ remountRequestedAt: '2030-01-01T00:00:30Z' });

  it.each([
    ['one that had mounted a volume that was lost is deleted', pod(), [], false],
    ['one that was started later stays', pod('StatefulSet', { startTime: '2030-01-01T00:00:31Z' }), [], true],
    [
      'one of a kind that is spared stays',
      pod(),
      [aSetting('blacklist-for-auto-delete-pod-when-volume-detached-unexpectedly', 'x; apps/v1/StatefulSet')],
      true,
    ],
    [
      'none is deleted where the setting says no',
      pod(),
      [aSetting('auto-delete-pod-when-volume-detached-unexpectedly', 'false')],
      true,
    ],
    [
      'one without a controller stays: nobody would make it again',
      { ...pod(), metadata: { name: 'db-0', namespace: 'shop' } },
      [],
      true,
    ],
  ])('%s', async (_, each, settings, stays) => {
    const world = await running(lost, settings);
    world.cluster.put(each);
    await world.pass(5);
    expect(podOf(world) !== undefined).toBe(stays);
  });

  it.each([
    ['do-nothing', 'StatefulSet', true],
    ['delete-statefulset-pod', 'StatefulSet', false],
    ['delete-statefulset-pod', 'ReplicaSet', true],
    ['delete-both-statefulset-and-deployment-pod', 'ReplicaSet', false],
  ])('on a node that is down, with the policy %s: a pod of a %s stays: %s', async (policy, kind, stays) => {
    const world = await running(aVolume(), [aSetting('node-down-pod-deletion-policy', policy)]);
    world.changeNode('n2', (node: Node) => {
      node.status = { ...node.status, conditions: [{ type: 'Ready', status: 'Unknown' }] };
    });
    world.cluster.put({
      ...pod(kind),
      metadata: { ...pod(kind).metadata, deletionTimestamp: '2030-01-01T00:00:05Z', finalizers: [] },
    });
    await world.pass(20);
    expect(podOf(world)).toBeDefined();
    await world.pass(60);
    const deletions = world.cluster.calls.filter(({ verb, key }) => verb === 'delete' && key.name === 'db-0');
    expect(deletions.length === 0).toBe(stays);
    expect(deletions.every(({ options }) => 'gracePeriodSeconds' in options && options.gracePeriodSeconds === 0)).toBe(
      true,
    );
  });
});

describe('VolumeAttachments to a node that is down', () => {
  const attachment = (node: string, attacher = 'driver.longhorn.io'): VolumeAttachment => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `csi-${node}` },
    spec: { attacher, nodeName: node, source: { persistentVolumeName: 'pv' } },
    status: { attached: true },
  });
  const policy = aSetting('node-down-pod-deletion-policy', 'delete-statefulset-pod');
  const goesDown = (world: StorageNodesWorld) =>
    world.changeNode('n2', (node: Node) => {
      node.status = { ...node.status, conditions: [{ type: 'Ready', status: 'Unknown' }] };
    });
  const isThere = (world: StorageNodesWorld, node: string) =>
    world.cluster.find(volumeAttachmentType, { name: `csi-${node}` }) !== undefined;

  it('are deleted when no pod on the node uses the volume any more, so that it can be attached elsewhere', async () => {
    const world = await running(aVolume(), [policy]);
    world.cluster.put(pod());
    world.cluster.put(attachment('n2'));
    goesDown(world);
    await world.pass(60);
    expect(isThere(world, 'n2')).toBe(true);
    world.cluster.remove(podType, { namespace: 'shop', name: 'db-0' });
    await world.pass(2);
    expect(isThere(world, 'n2')).toBe(false);
  });

  it.each([
    ['of a node that is there', [policy], attachment('n1'), 'n1'],
    ['of another driver', [policy], attachment('n2', 'other.example'), 'n2'],
    ['where pods of lost nodes are left alone', [], attachment('n2'), 'n2'],
  ])('stay: %s', async (_, settings, each, node) => {
    const world = await running(aVolume(), settings);
    goesDown(world);
    world.cluster.put(each);
    await world.pass(60);
    expect(isThere(world, node)).toBe(true);
  });
});
