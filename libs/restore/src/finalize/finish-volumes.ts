import {
  type BackupStorageLocation,
  getValidName,
  labels,
  podVolumeRestoreType,
  type Restore,
} from '@lateen/api-types';
import { backupStore, type RestoreStore, type RestoreVolumeInfo, restoreStore } from '@lateen/backup-store';
import { isAppError } from '@lateen/errors';
import { mayScale } from '@lateen/item-actions';
import { listIfServed } from '@lateen/kube';
import type { RunProblem } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import type { RestorePorts } from '../restore-ports.ts';
import { finalizeVolumes } from '../volumes/finalize/finalize-volumes.ts';
import { withFinalPodVolumes } from '../volumes/finalize/pod-volumes.ts';
import type { VolumesToFinalize } from '../volumes/finalize/volumes-to-finalize.ts';

export interface FinishVolumesOptions {
  location: BackupStorageLocation;
  /** The time-out of the wait for each claim. */
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Gives the volumes of a restore their properties from the backup, and deletes the temporary objects of the restore.
 * @returns permanent failures; @throws failures that may not happen the next time; the signal's reason
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

/** The facts about volumes in the files of the backup and of the restore. */
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
      restored: await finalVolumeInfo(ports, restore, files, signal),
      operations: await files.getItemOperations(name, { signal }),
      failedClaims: mayScale(restore) ? await failedClaims(files, name, signal) : [],
    };
  });

/** Stores the final volume info when pod volumes were restored. A failure to store it does not make the restore worse. */
async function finalVolumeInfo(
  { kube, namespace, log }: RestorePorts,
  restore: Restore,
  files: Pick<RestoreStore, 'getVolumeInfo' | 'putVolumeInfo'>,
  signal: AbortSignal,
): Promise<RestoreVolumeInfo[]> {
  const { name = '' } = restore.metadata;
  const stored = await files.getVolumeInfo(name, { signal });
  if (!stored.some(({ pvrInfo }) => pvrInfo !== undefined)) return stored;
  const labelSelector = `${labels.restoreUid}=${getValidName(restore.metadata.uid ?? '')}`;
  const made = await listIfServed(kube, podVolumeRestoreType, { namespace, labelSelector, signal });
  const final = withFinalPodVolumes(stored, made);
  try {
    await files.putVolumeInfo(name, final, { signal });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ restore: name, err: error }, 'the volume info of a restore cannot be stored again');
  }
  return final;
}

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
