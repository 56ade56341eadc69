import type { Backup, KubeObject } from '@lateen/api-types';
import { archiveWriter, itemPaths } from '@lateen/archive';
import type { BackupVolumeInfo } from '@lateen/backup-store';
import { aDataUpload } from '@lateen/testing';
import { namespace } from '../buckets/buckets.ts';
import type { RetentionWorld } from './retention-world.ts';

/** The snapshot ID of a letter. */
export const snapshot = (letter: string): string => letter.repeat(32);

/** Everything that a backup with data movement has: files, snapshots in two repositories, a DataUpload, a Restore with files of its own. */
export async function storeEverything(world: RetentionWorld, backup: Backup, letter = 'a'): Promise<void> {
  const { memory } = world.buckets.of('default');
  const name = backup.metadata.name ?? '';
  const app = { app: snapshot(letter), shop: snapshot(letter === 'a' ? 'b' : `${Number(letter) + 1}`.slice(0, 1)) };
  const upload = aDataUpload({
    name: `${name}-data`,
    phase: 'Completed',
    labels: { 'velero.io/backup-name': name, 'velero.io/backup-uid': backup.metadata.uid ?? '' },
    status: { snapshotID: app.app },
  });
  world.cluster.put(backup, upload);
  await world.store.putBackup(backup);
  await world.store.putVolumeInfo(name, [movedVolume('app', app.app), movedVolume('shop', app.shop)]);
  await world.store.putPodVolumeBackups(name, []);
  await world.store.putVolumeSnapshots(name, []);
  await world.store.putResults(name, { warnings: {}, errors: {} });
  await writeArchive(world, name, [upload]);
  for (const [volumeNamespace, id] of Object.entries(app)) {
    memory.objects.set(`kopia/${volumeNamespace}/kopia.repository`, Buffer.from('{}'));
    const key = `${volumeNamespace}/kopia`;
    world.repositories.set(key, (world.repositories.get(key) ?? new Set([snapshot('f')])).add(id));
  }
}

async function writeArchive(world: RetentionWorld, name: string, uploads: readonly KubeObject[]): Promise<void> {
  const writer = archiveWriter({ mtimeMs: 0 });
  const writing = world.store.writeArchive(name, writer.pieces);
  for (const object of [...uploads, volumeSnapshotContent]) {
    const isUpload = object.kind === 'DataUpload';
    const place = {
      groupResource: isUpload ? 'datauploads.velero.io' : 'volumesnapshotcontents.snapshot.storage.k8s.io',
      ...(isUpload ? { namespace } : {}),
      name: object.metadata.name ?? '',
      version: isUpload ? 'v2alpha1' : 'v1',
      preferred: true,
    };
    for (const path of itemPaths(place)) await writer.add(path, JSON.stringify(object));
  }
  await writer.end();
  await writing;
}

const volumeSnapshotContent = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name: 'content-1', labels: { 'velero.io/backup-name': 'b' } },
};

const movedVolume = (pvcNamespace: string, snapshotHandle: string): BackupVolumeInfo => ({
  pvcName: 'data',
  pvcNamespace,
  snapshotDataMoved: true,
  preserveLocalSnapshot: false,
  skipped: false,
  snapshotDataMovementInfo: {
    dataMover: 'velero',
    uploaderType: 'kopia',
    snapshotHandle,
    operationID: 'o',
    size: 1,
    Phase: 'Completed',
  },
});
