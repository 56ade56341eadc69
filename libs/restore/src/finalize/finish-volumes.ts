import type { BackupStorageLocation, Restore } from '@lateen/api-types';
import { backupStore, type RestoreStore, restoreStore } from '@lateen/backup-store';
import { isAppError } from '@lateen/errors';
import { mayScale } from '@lateen/item-actions';
import type { RunProblem } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import type { RestorePorts } from '../restore-ports.ts';
import { finalizeVolumes } from '../volumes/finalize/finalize-volumes.ts';
import type { VolumesToFinalize } from '../volumes/finalize/volumes-to-finalize.ts';

export interface FinishVolumesOptions {
  location: BackupStorageLocation;
  /** Of the wait for each claim. */
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Gives the volumes of a restore what they had in the backup, and takes away what the restore needed meanwhile.
 * @returns what could not be done and never will; @throws what may go well the next time; the signal's reason
 */
export async function finishVolumes(
  ports: RestorePorts,
  restore: Restore,
  { location, timeoutMs, signal }: FinishVolumesOptions,
): Promise<RunProblem[]> {
  const { kube, clock, random, log, namespace: veleroNamespace } = ports;
  try {
    const volumes = await storedOf(ports, restore, location, signal);
    const options = { timeoutMs, signal };
    const problems = await finalizeVolumes({ kube, clock, random, log, veleroNamespace }, volumes, options);
    return problems.map(({ namespace, message }) => ({
      fields: { resource: 'persistentvolumeclaims', namespace },
      message,
    }));
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error) || error.retry !== 'never') throw error;
    return [{ fields: { err: error }, message: 'the volumes of the restore could not be finished' }];
  }
}

/** What the files of the backup and of the restore say of volumes. */
const storedOf = (
  ports: RestorePorts,
  restore: Restore,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<VolumesToFinalize> =>
  withStore(ports, location, { signal, customerKey: true }, async (store, { prefix }) => {
    const { name = '' } = restore.metadata;
    const files = ports.kept.over(restoreStore(store, prefix));
    const backedUp = await backupStore(store, prefix).getVolumeInfo(restore.spec.backupName ?? '', { signal });
    return {
      restore,
      backedUp: backedUp ?? [],
      restored: await files.getVolumeInfo(name, { signal }),
      operations: await files.getItemOperations(name, { signal }),
      failedClaims: mayScale(restore) ? await failedClaims(files, name, signal) : [],
    };
  });

async function failedClaims(
  files: Pick<RestoreStore, 'readItemOutcomes'>,
  restore: string,
  signal: AbortSignal,
): Promise<{ namespace: string; name: string }[]> {
  const failed: { namespace: string; name: string }[] = [];
  for await (const { kind, act, namespace = '', name } of files.readItemOutcomes(restore, { signal }))
    if (kind === 'PersistentVolumeClaim' && act === 'fail') failed.push({ namespace, name });
  return failed;
}
