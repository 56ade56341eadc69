import { type DataUpload, isBuiltInDataMover, isNamespaceName, type PodVolumeBackup } from '@lateen/api-types';
import type { RepositoryType } from '@lateen/repository';

/** What something says of a snapshot in a repository; it may come from a bucket, so nothing of it is trusted. */
export interface StoredSnapshot {
  /** Nothing said is ours. */
  dataMover?: string | undefined;
  /** Nothing said is kopia. */
  uploaderType?: string | undefined;
  volumeNamespace?: string | undefined;
  snapshotID?: string | undefined;
}

export interface RepositorySnapshots {
  engine: RepositoryType;
  /** The workload's: there is a repository for each. */
  volumeNamespace: string;
  snapshotIDs: string[];
}

/** What has to be forgotten, by repository, each snapshot once; pure. Data movers of others look after their own. */
export function snapshotsByRepository(snapshots: Iterable<StoredSnapshot>): RepositorySnapshots[] {
  const found = new Map<string, Omit<RepositorySnapshots, 'snapshotIDs'> & { ids: Set<string> }>();
  for (const { dataMover, uploaderType, volumeNamespace = '', snapshotID } of snapshots) {
    const engine = engineOf(uploaderType);
    if (engine === undefined || !isBuiltInDataMover(dataMover)) continue;
    // What a bucket says becomes a part of paths and of object names.
    if (!snapshotID || snapshotID === 'unknown' || !isNamespaceName(volumeNamespace)) continue;
    const key = `${engine}/${volumeNamespace}`;
    const entry = found.get(key) ?? { engine, volumeNamespace, ids: new Set() };
    found.set(key, entry);
    entry.ids.add(snapshotID);
  }
  return [...found.values()]
    .map(({ engine, volumeNamespace, ids }) => ({ engine, volumeNamespace, snapshotIDs: [...ids].sort() }))
    .sort((a, b) => (`${a.volumeNamespace} ${a.engine}` < `${b.volumeNamespace} ${b.engine}` ? -1 : 1));
}

/** What a DataUpload has stored. */
export const snapshotOfUpload = ({ spec, status }: DataUpload): StoredSnapshot => ({
  dataMover: spec.datamover,
  uploaderType: spec.dataMoverConfig?.UploaderType,
  volumeNamespace: spec.sourceNamespace,
  snapshotID: status?.snapshotID,
});

/** What a PodVolumeBackup has stored. */
export const snapshotOfPodVolume = ({ spec, status }: PodVolumeBackup): StoredSnapshot => ({
  uploaderType: spec.uploaderType,
  volumeNamespace: spec.pod.namespace,
  snapshotID: status?.snapshotID,
});

/** An engine that is not ours has no repository of ours. */
function engineOf(name: string | undefined): RepositoryType | undefined {
  return name === 'restic' ? 'restic' : !name || name === 'kopia' ? 'kopia' : undefined;
}
