import type { PersistentVolumeClaim, Restore } from '@lateen/api-types';
import type { PersistentVolumeInfo, RestoreOperation, RestoreVolumeInfo } from '@lateen/backup-store';
import { describeError, isAppError } from '@lateen/errors';
import { retireRestoredSnapshot } from '@lateen/item-actions';
import { eachAtOnce } from '@lateen/kernel';
import { hasLostItsData } from './pod-volumes.ts';
import { settleVolume } from './settle-volume.ts';
import { takeAids } from './take-aids.ts';
import type { VolumePorts, VolumeProblem, VolumesToFinalize } from './volumes-to-finalize.ts';
import { bringWorkloadsUp } from './workloads-up.ts';

/** How many claims are finalized at the same time: each costs a few reads, and one watch while it has no volume. */
const atOnceMax = 16;

/**
 * Finalizes the volumes of a restore when its operations have ended: each volume gets the labels and the reclaim policy that it had in the
 * backup. Temporary objects of the restore are deleted: VolumeSnapshots of claims that have their volume, group stubs, DataUploadResults.
 * Workloads that were scaled down are scaled up.
 * Safe to repeat. @param options.timeoutMs the time-out of the wait for each claim
 * @returns what could not be done; @throws what prevents the clean-up, and the signal's reason
 */
export async function finalizeVolumes(
  ports: VolumePorts,
  volumes: VolumesToFinalize,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<VolumeProblem[]> {
  const { restore, restored } = volumes;
  const infos = infosByClaim(volumes);
  const failed = new Set(volumes.operations.filter(isFailed).map(({ spec }) => spec.operationID));
  const problems: VolumeProblem[] = [];
  await eachAtOnce(restored, atOnceMax, async (volume) => {
    const { pvcNamespace: namespace = '', pvcName: name = '' } = volume;
    const operationId = volume.snapshotDataMovementInfo?.operationID ?? volume.csiSnapshotInfo?.operationID ?? '';
    if (name === '' || !isMadeAnew(volume) || failed.has(operationId)) return;
    try {
      const wait = hasLostItsData(volume) ? { ...options, timeoutMs: 0 } : options;
      const claim = await settleVolume(ports, { namespace, name }, infos.get(`${namespace}/${name}`), wait);
      if (claim !== undefined) await retireSnapshotOf(ports, restore, claim, options.signal);
    } catch (error) {
      options.signal.throwIfAborted();
      // The missing data is an error already, and may be the reason why the claim has no volume.
      if (hasLostItsData(volume) && isAppError(error, 'CLAIM_NOT_BOUND')) return;
      problems.push({
        namespace,
        message: `the volume of PVC ${namespace}/${name} is not as in the backup: ${describeError(error)}`,
      });
    }
  });
  problems.push(...(await bringWorkloadsUp(ports, volumes, options.signal)));
  await takeAids(ports, restore, options.signal);
  return problems.sort((a, b) => (a.message < b.message ? -1 : 1));
}

const isFailed = ({ status }: RestoreOperation): boolean => status.phase === 'Failed';

const isMadeAnew = ({ restoreMethod }: RestoreVolumeInfo): boolean =>
  restoreMethod === 'CSISnapshot' || restoreMethod === 'PodVolumeRestore';

function infosByClaim({ restore, backedUp }: VolumesToFinalize): Map<string, PersistentVolumeInfo> {
  const mapping = restore.spec.namespaceMapping ?? {};
  return new Map(
    backedUp.flatMap(({ pvcNamespace = '', pvcName = '', pvInfo }) =>
      pvInfo === undefined ? [] : [[`${mapping[pvcNamespace] ?? pvcNamespace}/${pvcName}`, pvInfo] as const],
    ),
  );
}

/** Deletes the snapshot's objects in the cluster: the volume has the data now, and the snapshot itself belongs to the backup. */
async function retireSnapshotOf(
  ports: VolumePorts,
  restore: Restore,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<void> {
  try {
    await retireRestoredSnapshot(ports, restore, claim, signal);
  } catch (error) {
    signal.throwIfAborted();
    const { namespace, name } = claim.metadata;
    const fields = { resource: 'persistentvolumeclaims', namespace, name, err: error };
    ports.log.warn(fields, 'the VolumeSnapshot that a claim was restored from stays in the cluster');
  }
}
