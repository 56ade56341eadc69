import { getValidName, labels, type PodVolumeBackup, podVolumeBackupType } from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { listIfServed } from '@lateen/kube';
import type { RestorePorts } from '../restore-ports.ts';

/**
 * The PodVolumeBackups of a backup, from its file, which exists even when the objects are gone. When the file lists none, they are read from
 * the cluster.
 */
export async function podVolumeBackupsOf(
  { kube, namespace }: Pick<RestorePorts, 'kube' | 'namespace'>,
  files: Pick<BackupStore, 'getPodVolumeBackups'>,
  backup: string,
  signal: AbortSignal,
): Promise<readonly PodVolumeBackup[]> {
  const stored = await files.getPodVolumeBackups(backup, { signal });
  if (stored.length > 0) return stored;
  const labelSelector = `${labels.backupName}=${getValidName(backup)}`;
  return await listIfServed(kube, podVolumeBackupType, { namespace, labelSelector, signal });
}
