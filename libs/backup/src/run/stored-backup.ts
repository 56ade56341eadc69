import {
  annotations,
  type Backup,
  type BackupStatus,
  finalizers,
  type ObjectMeta,
  type PodVolumeBackup,
} from '@lateen/api-types';

/**
 * The Backup as it is stored in the bucket, with its future status and without fields that only have a meaning in this cluster. Our
 * finalizer, for example, would be synced into a cluster that has no controller to remove it. Pure.
 */
export function storedBackup(backup: Backup, status: BackupStatus): Backup {
  const left = { annotations: [annotations.workedOnBy, annotations.openHooks], finalizer: finalizers.backupUnderWay };
  return { ...backup, metadata: without(backup.metadata, left), status };
}

/**
 * The same for a PodVolumeBackup that has ended. Its node-agent may remove the finalizer only after its phase was read; in a cluster without
 * node-agents, the object created from the file could not be deleted. Pure.
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
