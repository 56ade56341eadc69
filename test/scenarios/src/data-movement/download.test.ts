import {
  annotations,
  dataDownloadType,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
} from '@lateen/api-types';
import { aDataDownload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { downloadWorld, restoreSelector } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theDownload, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const targetKey = { namespace: 'app', name: 'data' };

function target(world: World) {
  const claim = world.cluster.find(persistentVolumeClaimType, targetKey);
  const volume = world.cluster.find(persistentVolumeType, { name: claim?.spec.volumeName ?? '' });
  return { claim, volume };
}

const volumes = (world: World) => world.cluster.all(persistentVolumeType);

/** What belongs to the workload at the end, and has not leaked. */
const kept = (world: World) => ({ volumes: [target(world).volume?.spec.csi?.volumeHandle ?? ''] });

describe('a restore of a snapshot into a claim', () => {
  it.each([
    ['with a class that binds immediately', {}, 'node-1'],
    ['on the node of its consumer', { bindingMode: 'WaitForFirstConsumer' as const, selectedNode: 'node-2' }, 'node-2'],
  ])('%s: binds the restored volume to the claim and leaves nothing else', async (_, options, node) => {
    const world = withAgents(downloadWorld(options), 'node-1', 'node-2');
    await untilConcluded(world, theDownload);
    expect(world.phases.get('DataDownload/download')).toEqual([
      'New',
      'Accepted',
      'Prepared',
      'InProgress',
      'Completed',
    ]);
    expect(world.download()?.status).toMatchObject({ node, progress: { totalBytes: 1_000, bytesDone: 1_000 } });
    const { claim, volume } = target(world);
    expect(claim?.status?.phase).toBe('Bound');
    expect(volume?.spec.claimRef).toMatchObject({ kind: 'PersistentVolumeClaim', ...targetKey, uid: 'claim-target' });
    expect(Object.keys(volume?.spec.claimRef ?? {})).not.toContain('resourceVersion');
    expect(volume?.metadata.labels).toEqual(restoreSelector.matchLabels);
    expect(volume?.metadata.annotations).toEqual({});
    expect(volume?.spec.persistentVolumeReclaimPolicy).toBe('Delete');
    expect(leftovers(world, kept(world))).toEqual([]);
    expect(world.logs).toMatchObject({ whole: ['velero/download'], torn: [] });
  });
  it('reports its speed while it runs, and the limiting factor at the end', async () => {
    const world = downloadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress', theDownload);
    for (const doneBytes of [600, 650, 700]) {
      await world.clock.advance(2_000);
      world.mover.report(doneBytes);
    }
    await world.clock.advance(2_000);
    expect(world.download()?.status?.throughput).toEqual({
      filesDone: 28,
      totalFiles: 40,
      filesPerSecond: 1,
      bytesPerSecond: 33,
      limitedBy: 'store-latency',
    });
    world.mover.script = 'complete';
    await untilConcluded(world, theDownload);
    expect(world.download()?.status).toMatchObject({ phase: 'Completed' });
    expect(world.download()?.status?.throughput).toEqual({
      filesDone: 40,
      totalFiles: 40,
      filesPerSecond: 20,
      bytesPerSecond: 500,
      limitedBy: 'store-latency',
      reader: 'packs',
      storeBytes: 600,
      storeRequests: 3,
      storeRequestsInFlight: 64,
      storeLatencyMilliseconds: 28,
      durationMilliseconds: 2_000,
    });
  });
  it('writes only the volume and leaves the claim to the binder, so it can be undone until the binder has bound it', async () => {
    const world = withAgents(downloadWorld());
    await untilConcluded(world, theDownload);
    const claims = world.cluster.calls.filter(
      ({ type, key }) => type === persistentVolumeClaimType && key.name === 'data',
    );
    expect(claims.map(({ verb }) => verb)).not.toContain('patch');
  });
  it('removes the annotations of an earlier binding from the claim: with them the binder would set it to Lost', async () => {
    const world = downloadWorld();
    world.cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, targetKey, ({ metadata }) => {
      metadata.annotations = {
        [annotations.bindCompleted]: 'yes',
        [annotations.boundByController]: 'yes',
        mine: 'stays',
      };
    });
    withAgents(world);
    await untilConcluded(world, theDownload);
    expect(world.download()?.status?.phase).toBe('Completed');
    expect(target(world).claim).toMatchObject({
      status: { phase: 'Bound' },
      metadata: { annotations: { mine: 'stays' } },
    });
  });
  it('restores the reclaim policy of the class on the volume, also when that is Retain', async () => {
    const world = withAgents(downloadWorld({ reclaimPolicy: 'Retain' }));
    await untilConcluded(world, theDownload);
    expect(target(world).volume?.spec.persistentVolumeReclaimPolicy).toBe('Retain');
  });
  it('creates the pod before the claim, so a rejected pod costs no volume', async () => {
    const world = downloadWorld();
    world.cluster.failOnce('create', podType, 'KUBE_FORBIDDEN');
    withAgents(world);
    await world.rest();
    expect(world.download()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('error exposing target volume'),
    });
    expect([...world.storage.volumes]).toEqual([]);
  });
  it('lets the pod be scheduled when the volume is bound, or when the provisioner wants another node', async () => {
    const world = downloadWorld({ bindingMode: 'WaitForFirstConsumer', selectedNode: 'node-2' });
    world.storage.holdVolumes = true;
    withAgents(world, 'node-1', 'node-2');
    await world.rest();
    const key = { namespace: 'velero', name: 'download' };
    expect(world.cluster.find(podType, key)?.spec.schedulingGates).toHaveLength(1);
    const body = { metadata: { annotations: { 'volume.kubernetes.io/selected-node': null } } };
    await world.cluster.patch(persistentVolumeClaimType, key, { type: 'merge', body });
    await world.rest();
    expect(world.cluster.find(podType, key)?.spec.schedulingGates).toBeUndefined();
    world.storage.holdVolumes = false;
    world.react();
    await untilConcluded(world, theDownload);
    expect(world.download()?.status?.phase).toBe('Completed');
  });
  it('waits with a watch until the consumer is scheduled', async () => {
    const world = withAgents(downloadWorld({ bindingMode: 'WaitForFirstConsumer' }));
    await world.rest();
    expect(world.download()?.status?.phase).toBe('Accepted');
    await world.clock.advance(20 * 60_000);
    const body = { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-1' } } };
    await world.cluster.patch(persistentVolumeClaimType, targetKey, { type: 'merge', body });
    await untilConcluded(world, theDownload);
    expect(world.download()?.status?.phase).toBe('Completed');
  });
});

describe('a download that cannot succeed', () => {
  const rows: [string, () => World, string][] = [
    [
      'has no target',
      () => downloadWorld({ without: ['PersistentVolumeClaim/data'] }),
      'Target PVC app/data does not exist',
    ],
    ['has no storage class', () => downloadWorld({ without: ['StorageClass/lateen'] }), 'storage class "lateen"'],
    [
      'has no location',
      () => downloadWorld({ without: ['BackupStorageLocation/default'] }),
      'BackupStorageLocation velero/default does not exist',
    ],
    [
      'has a target with a file system for a mover of devices',
      () => downloadWorld({}, aDataDownload({ spec: { datamover: 'velero-block' } })),
      'Restore into a claim with volumeMode Block',
    ],
    ['needs Windows', () => downloadWorld({}, aDataDownload({ spec: { nodeOS: 'windows' } })), 'Windows'],
  ];
  it.each(rows)('because it %s fails immediately and says so', async (_, make, text) => {
    const world = withAgents(make());
    await world.rest();
    expect(world.download()?.status).toMatchObject({ phase: 'Failed', message: expect.stringContaining(text) });
    await untilConcluded(world, theDownload);
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });
  it('because the target is already bound leaves that volume alone', async () => {
    const world = downloadWorld();
    world.cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, targetKey, (object) => {
      object.spec.volumeName = 'somebody-elses';
    });
    withAgents(world);
    await world.rest();
    expect(world.download()?.status?.message).toContain('Target PVC app/data has already been bound, abort');
  });
  it('because the mover fails deletes the partly filled volume', async () => {
    const world = downloadWorld();
    world.mover.script = 'fail';
    withAgents(world);
    await untilConcluded(world, theDownload);
    expect(world.download()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^data path restore failed: /),
    });
    expect(leftovers(world, { volumes: [] })).toEqual([]);
    expect(target(world).claim?.status?.phase).toBe('Pending');
  });
  it('because the target was bound to another volume meanwhile deletes the filled volume and says so', async () => {
    const world = downloadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    world.cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, targetKey, (object) => {
      object.spec.volumeName = 'somebody-elses';
    });
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, theDownload);
    expect(world.download()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('has been bound to somebody-elses'),
    });
    // This is the only use of the permission to delete volumes: test/cluster/src/installations/chart.test.ts expects it to be used.
    const deleted = world.cluster.calls.filter(({ verb }) => verb === 'delete').map(({ type }) => type.resource);
    expect(deleted).toContain(persistentVolumeType.resource);
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });
  it('because the target never binds fails after its time limit, deletes the filled volume and leaves the claim unbound', async () => {
    const world = downloadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    world.storage.binder.hold = true;
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, theDownload, 15 * 60_000);
    expect(world.download()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('is not bound to PVC app/data after 10m0s'),
    });
    world.storage.binder.hold = false;
    await world.rest();
    expect(leftovers(world, { volumes: [] })).toEqual([]);
    expect(target(world).claim?.spec.volumeName).toBeUndefined();
  });
  it('because the target was deleted meanwhile fails immediately and deletes the filled volume', async () => {
    const world = downloadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    world.storage.binder.holdClaims = true;
    world.mover.script = 'complete';
    world.react();
    await world.until(() => volumes(world).some(({ spec }) => spec.claimRef?.name === targetKey.name));
    world.storage.binder.hold = true;
    await world.cluster.delete(persistentVolumeClaimType, targetKey);
    world.storage.binder.hold = false;
    await untilConcluded(world, theDownload);
    expect(world.download()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('Target PVC app/data has been deleted meanwhile'),
    });
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });
});

describe('cancelling a download', () => {
  it.each(['Accepted', 'InProgress'] as const)('in %s deletes what was restored so far', async (phase) => {
    const world = downloadWorld(phase === 'Accepted' ? { bindingMode: 'WaitForFirstConsumer' } : {});
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    expect(world.download()?.status?.phase).toBe(phase);
    const key = { namespace: 'velero', name: 'download' };
    await world.cluster.patch(dataDownloadType, key, { type: 'merge', body: { spec: { cancel: true } } });
    await untilConcluded(world, theDownload);
    expect(world.download()?.status?.phase).toBe('Canceled');
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });
});

describe('handing the volume over while the API server fails temporarily', () => {
  it.each([
    ['patch', persistentVolumeType],
    ['patch', persistentVolumeClaimType],
    ['delete', persistentVolumeClaimType],
    ['delete', podType],
    ['list', persistentVolumeType],
    ['get', persistentVolumeClaimType],
  ] as const)('%s of $resource fails twice: the restored data is kept', async (verb, type) => {
    const world = downloadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    world.cluster.failTimes(2, verb, type, 'KUBE_UNAVAILABLE');
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, theDownload, 10 * 60_000);
    expect(world.download()?.status?.phase).toBe('Completed');
    expect(target(world).claim?.status?.phase).toBe('Bound');
    expect(leftovers(world, kept(world))).toEqual([]);
  });
});
