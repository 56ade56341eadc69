import {
  type BackupSpec,
  backupType,
  type DataUpload,
  dataUploadType,
  type Unstructured,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { parseItemPath, readArchive } from '@lateen/archive';
import { builtInActions } from '@lateen/item-actions';
import { keyOf } from '@lateen/kube';
import {
  aNamespace,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPod,
  aStorageClass,
  letTimePass,
} from '@lateen/testing';
import { afterEach, expect, it } from 'vitest';
import { GroupSnapshotActor } from '../world/group-snapshot-actor.ts';
import { SnapshotActor } from '../world/snapshot-actor.ts';
import { BackupWorld } from './backup-world.ts';
import { aGroupSnapshotClass, aSnapshotClass, asItem } from './csi-world.ts';

const worlds: BackupWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

const volumes = (name: string, labels: Record<string, string> = {}) => [
  aPersistentVolumeClaim({ name, namespace: 'shop', volumeName: `pv-${name}`, labels }),
  aPersistentVolume({ name: `pv-${name}`, claim: { namespace: 'shop', name } }),
];

/** A node-agent that ends each DataUpload as the test says. */
type Mover = (upload: DataUpload) => DataUpload['status'];

/** The controllers of backups in a cluster with a CSI driver: two claims without a group, two in a volume group. */
function cluster(mover: Mover = () => undefined) {
  const group = { 'velero.io/volume-group': 'db' };
  const world = new BackupWorld({
    objects: [
      aNamespace({ name: 'shop' }),
      aPod({ name: 'node-agent-1', labels: { name: 'node-agent', role: 'node-agent' }, phase: 'Running' }),
      aStorageClass(),
      aSnapshotClass(),
      aGroupSnapshotClass(),
      ...volumes('data'),
      ...volumes('logs'),
      ...volumes('table', group),
      ...volumes('wal', group),
    ],
  });
  worlds.push(world);
  const snapshots = new SnapshotActor(world.cluster);
  snapshots.takesSnapshots = true;
  const groups = new GroupSnapshotActor(world.cluster, snapshots.handles);
  const move = () => {
    for (const upload of world.cluster.all(dataUploadType).filter(({ status }) => status?.phase === undefined)) {
      const status = mover(upload);
      if (status !== undefined)
        world.cluster.change<DataUpload>(dataUploadType, keyOf(upload), (object) => {
          object.status = status;
        });
    }
    return false;
  };
  world.cluster.intercept(async (call, next) => {
    try {
      return await next();
    } finally {
      if (!['get', 'list', 'watch'].includes(call.verb))
        while ([snapshots.react(), groups.react(), move()].includes(true));
    }
  });
  return { world, snapshots };
}

async function backUp(world: BackupWorld, spec: BackupSpec) {
  world.start();
  await world.create('nightly', { includedNamespaces: ['shop'], ...spec });
  return await world.until('nightly', 'Completed', 'PartiallyFailed', 'Failed', 'FailedValidation', 'Canceled');
}

async function archivedObjects(world: BackupWorld, groupResource: string): Promise<Unstructured[]> {
  const objects: Unstructured[] = [];
  for await (const { path, body } of readArchive(world.stored.files.readArchive('nightly'))) {
    const place = parseItemPath(path);
    if (place?.groupResource === groupResource && place.version === undefined)
      objects.push(JSON.parse(Buffer.from(body).toString()));
  }
  return objects;
}

it('keeps the snapshots on the storage, lists them in the archive, and leaves no snapshot object in the cluster', async () => {
  const { world, snapshots } = cluster();
  const backup = await backUp(world, {});
  expect(world.phases('nightly')).toEqual([
    'Queued',
    'ReadyToStart',
    'InProgress',
    'WaitingForPluginOperations',
    'Finalizing',
    'Completed',
  ]);
  expect(backup.status).toMatchObject({ csiVolumeSnapshotsAttempted: 4, csiVolumeSnapshotsCompleted: 4 });
  expect(world.cluster.all(volumeSnapshotType)).toEqual([]);
  expect(world.cluster.all(volumeSnapshotContentType)).toEqual([]);
  expect(snapshots.handles.size).toBe(4);
  const archived = await world.stored.archived('nightly');
  const kinds = (kind: string) => archived.filter((each) => each.startsWith(`${kind}/`));
  expect(kinds('volumesnapshots.snapshot.storage.k8s.io')).toHaveLength(4);
  expect(kinds('volumesnapshotcontents.snapshot.storage.k8s.io')).toHaveLength(4);
  expect(kinds('volumesnapshotclasses.snapshot.storage.k8s.io')).toEqual([
    'volumesnapshotclasses.snapshot.storage.k8s.io/fast',
  ]);
});

it('stores a snapshot unchanged when the storage has already copied it elsewhere', async () => {
  const { world, snapshots } = cluster();
  snapshots.holdReady = true;
  world.start();
  await world.create('nightly', { includedNamespaces: ['shop'] });
  await world.until('nightly', 'WaitingForPluginOperations');
  await world.clock.advance(60_000);
  snapshots.holdReady = false;
  snapshots.react();
  await world.until('nightly', 'Completed');
  const stored = await archivedObjects(world, 'volumesnapshots.snapshot.storage.k8s.io');
  expect(stored).toHaveLength(4);
  for (const { metadata, status } of stored) {
    expect(status).toMatchObject({ readyToUse: true, restoreSize: '1Gi' });
    expect(metadata.annotations).toMatchObject({ 'velero.io/csi-volumesnapshot-restore-size': '1Gi' });
  }
});

it('leaves no snapshot on the storage when the backup is deleted', async () => {
  const { world, snapshots } = cluster();
  const backup = await backUp(world, {});
  const [action] = builtInActions({ csi: true }).delete;
  for (const content of await archivedObjects(world, 'volumesnapshotcontents.snapshot.storage.k8s.io'))
    await letTimePass(
      action?.execute(
        asItem(content),
        {
          backup,
          kube: world.cluster,
          clock: world.clock,
          random: { next: () => 0, uuid: () => `${content.metadata.name}`, suffix: () => 'aaaaa' },
          log: world.log,
          veleroNamespace: 'velero',
        },
        new AbortController().signal,
      ) ?? Promise.reject(new Error('there is no delete action')),
      world.clock,
    );
  expect(snapshots.handles.size).toBe(0);
  expect(world.cluster.all(volumeSnapshotContentType)).toEqual([]);
});

it('moves the data of all claims in parallel, and stores the DataUploads with their final status', async () => {
  const { world } = cluster(({ spec }) => ({ phase: 'Completed', snapshotID: `id-of-${spec.sourcePVC}` }));
  const backup = await backUp(world, { snapshotMoveData: true });
  expect(backup.status).toMatchObject({
    phase: 'Completed',
    backupItemOperationsAttempted: 4,
    backupItemOperationsCompleted: 4,
  });
  const uploads = await archivedObjects(world, 'datauploads.velero.io');
  expect(uploads.map((upload) => (upload as unknown as DataUpload).status?.snapshotID).sort()).toEqual([
    'id-of-data',
    'id-of-logs',
    'id-of-table',
    'id-of-wal',
  ]);
  const archived = await world.stored.archived('nightly');
  expect(archived.filter((each) => each.startsWith('volumesnapshot'))).toEqual([]);
});

it('names the volume whose data movement failed', async () => {
  const { world } = cluster(({ spec }) =>
    spec.sourcePVC === 'logs' ? { phase: 'Failed', message: 'disk on fire' } : { phase: 'Completed', snapshotID: 'id' },
  );
  const backup = await backUp(world, { snapshotMoveData: true });
  expect(backup.status).toMatchObject({ phase: 'PartiallyFailed', backupItemOperationsFailed: 1 });
});

it('leaves nothing when it is cancelled while it waits for snapshots', async () => {
  const { world, snapshots } = cluster();
  snapshots.hold = true;
  world.start();
  await world.create('nightly', { includedNamespaces: ['shop'] });
  await world.clock.advance(5_000);
  expect(world.cluster.all(volumeSnapshotType).length).toBeGreaterThan(0);
  world.cluster.change(backupType, { namespace: 'velero', name: 'nightly' }, (backup) => {
    backup.spec.cancel = true;
  });
  await world.until('nightly', 'Canceled');
  expect(world.cluster.all(volumeSnapshotType)).toEqual([]);
  expect(world.cluster.all(volumeSnapshotContentType)).toEqual([]);
  expect(snapshots.handles.size).toBe(0);
});
