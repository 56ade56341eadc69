import {
  annotations,
  type Backup,
  type BackupStatus,
  finalizers,
  type ObjectMeta,
  type PodVolumeBackup,
} from '@lateen/api-types';

/**
 * The Backup as it is put into the bucket, with the status that it will have: what only this cluster means by it stays out. A finalizer
 * of ours would come back with it in a cluster that nobody else cleans up. Pure.
 */
export function storedBackup(backup: Backup, status: BackupStatus): Backup {
  const left = { annotations: [annotations.workedOnBy, annotations.openHooks], finalizer: finalizers.backupUnderWay };
  return { ...backup, metadata: without(backup.metadata, left), status };
}

/**
 * The same of a PodVolumeBackup that has ended. Its phase is seen before its node-agent takes the finalizer off; where no node-agent runs,
 * nobody could delete what is made from the file. Pure.
 */
export function storedPodVolumeBackup(backup: PodVolumeBackup): PodVolumeBackup {
  const left = { annotations: [annotations.hostingPodUid, annotations.nextAttemptAt], finalizer: finalizers.podVolume };
  return { ...backup, metadata: without(backup.metadata, left) };
}

function without(
  { finalizers: names, annotations: notes, ...metadata }: ObjectMeta,
  left: { annotations: readonly string[]; finalizer: string },
): ObjectMeta {
  const kept = Object.entries(notes ?? {}).filter(([name]) => !left.annotations.includes(name));
  const others = names?.filter((name) => name !== left.finalizer) ?? [];
  return {
    ...metadata,
    ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    ...(others.length === 0 ? {} : { finalizers: others }),
  };
}
