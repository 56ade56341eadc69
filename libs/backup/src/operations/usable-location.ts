import { type Backup, type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import type { BackupPorts } from '../backup-ports.ts';

/** The location of a backup whose work goes on; or why there is none to write to any more. */
export async function usableLocation(
  { kube, namespace }: Pick<BackupPorts, 'kube' | 'namespace'>,
  { spec }: Backup,
  signal: AbortSignal,
): Promise<{ usable: BackupStorageLocation } | { gone: string }> {
  const name = spec.storageLocation ?? '';
  const location = await readObject(kube, backupStorageLocationType, { namespace, name }, signal);
  if (location === undefined) return { gone: `BackupStorageLocation ${name} does not exist any more` };
  if (location.spec.accessMode === 'ReadOnly') return { gone: `BackupStorageLocation ${name} has become read-only` };
  return { usable: location };
}
