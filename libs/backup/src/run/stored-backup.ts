import { annotations, type Backup, type BackupStatus, finalizers } from '@lateen/api-types';

/**
 * The Backup as it is put into the bucket, with the status that it will have: what only this cluster means by it stays out. A finalizer
 * of ours would come back with it in a cluster that nobody else cleans up. Pure.
 */
export function storedBackup(backup: Backup, status: BackupStatus): Backup {
  const { finalizers: names, annotations: notes, ...metadata } = backup.metadata;
  const { [annotations.workedOnBy]: _, [annotations.openHooks]: __, ...kept } = notes ?? {};
  const others = names?.filter((name) => name !== finalizers.backupUnderWay) ?? [];
  return {
    ...backup,
    metadata: {
      ...metadata,
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
      ...(others.length === 0 ? {} : { finalizers: others }),
    },
    status,
  };
}
