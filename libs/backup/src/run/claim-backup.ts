import { annotations, type Backup, backupType } from '@lateen/api-types';
import { apiTime, isConflict, isNotFound, keyOf } from '@lateen/kube';
import { type BackupPatch, moveBackup, workedOnBy } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';

/**
 * Moves a valid backup to InProgress and writes on it who works on it. Of several controllers one wins; the others get undefined.
 * When the answer of the API server is lost, what it has says whether the claim is ours.
 */
export async function claimBackup(
  ports: Pick<BackupPorts, 'kube' | 'onMove' | 'clock' | 'random' | 'identity'>,
  backup: Backup,
  patch: BackupPatch,
  signal: AbortSignal,
): Promise<Backup | undefined> {
  const token = `${ports.identity}/${ports.random.suffix(8)}`;
  const claim: BackupPatch = {
    ...patch,
    annotations: { ...patch.annotations, [annotations.workedOnBy]: token },
    status: { ...patch.status, startTimestamp: apiTime(ports.clock.now()) },
  };
  try {
    return await moveBackup(ports, backup, 'InProgress', claim, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) return undefined;
    const now = await ports.kube.get(backupType, keyOf(backup), { signal });
    if (workedOnBy(now) === token) return now;
    if (isConflict(error)) return undefined;
    throw error;
  }
}
