import { type DataUpload, isBuiltInDataMover, isNamespaceName, type PodVolumeBackup } from '@lateen/api-types';
import type { BackupVolumeInfo } from '@lateen/backup-store';
import type { RepositoryType } from '@lateen/repository';

/** Whatever tells of snapshots that a backup has in repositories; each of them alone may be missing or old. */
export interface SnapshotSources {
  volumes: readonly BackupVolumeInfo[];
  /** Of the archive, and of the cluster. */
  uploads: readonly DataUpload[];
  /** Of the bucket, and of the cluster. */
  podVolumes: readonly PodVolumeBackup[];
}

export interface RepositorySnapshots {
  engine: RepositoryType;
  /** The workload's: there is a repository for each. */
  volumeNamespace: string;
  snapshotIDs: string[];
}

/** What has to be forgotten when a backup goes, by repository; pure. Data movers of others look after their own. */
export function snapshotsOfBackup({ volumes, uploads, podVolumes }: SnapshotSources): RepositorySnapshots[] {
  const found = new Map<string, RepositorySnapshots & { ids: Set<string> }>();
  const add = (engine: RepositoryType | undefined, volumeNamespace = '', id: string | undefined) => {
    // What a bucket says becomes a part of paths and of object names.
    if (engine === undefined || !id || id === 'unknown' || !isNamespaceName(volumeNamespace)) return;
    const key = `${engine}/${volumeNamespace}`;
    const entry = found.get(key) ?? { engine, volumeNamespace, snapshotIDs: [], ids: new Set() };
    found.set(key, entry);
    entry.ids.add(id);
  };
  for (const { pvcNamespace, snapshotDataMovementInfo: moved, pvbInfo } of volumes) {
    if (moved !== undefined && isBuiltInDataMover(moved.dataMover))
      add(engineOf(moved.uploaderType), pvcNamespace, moved.snapshotHandle);
    if (pvbInfo !== undefined) add(engineOf(pvbInfo.uploaderType), pvbInfo.podNamespace, pvbInfo.snapshotHandle);
  }
  for (const { spec, status } of uploads)
    if (isBuiltInDataMover(spec.datamover))
      add(engineOf(spec.dataMoverConfig?.UploaderType), spec.sourceNamespace, status?.snapshotID);
  for (const { spec, status } of podVolumes) add(engineOf(spec.uploaderType), spec.pod.namespace, status?.snapshotID);
  return [...found.values()]
    .map(({ engine, volumeNamespace, ids }) => ({ engine, volumeNamespace, snapshotIDs: [...ids].sort() }))
    .sort((a, b) => (`${a.volumeNamespace} ${a.engine}` < `${b.volumeNamespace} ${b.engine}` ? -1 : 1));
}

/** Nothing said is kopia; an engine that is not ours has no repository of ours. */
function engineOf(name: string | undefined): RepositoryType | undefined {
  return name === 'restic' ? 'restic' : !name || name === 'kopia' ? 'kopia' : undefined;
}
