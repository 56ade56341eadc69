import {
  annotations,
  getValidName,
  labels,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Restore,
  type VolumeSnapshot,
  volumeSnapshotClassType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, listAll } from '@lateen/kube';
import { chooseClass, deleteSnapshot, snapshotClassKind, takeSnapshot, watchEach } from '@lateen/volume-snapshots';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { timeoutOf } from '../../csi/csi-run.ts';
import { namedClass } from '../../csi/snapshot-of-claim.ts';

/** Selects the snapshots of the data that volumes had before a restore wrote into them. */
export const oldDataOf = ({ metadata }: Restore): string => `${labels.oldDataOf}=${getValidName(metadata.uid ?? '')}`;

export const keepsOldData = ({ metadata }: Restore): boolean =>
  metadata.annotations?.[annotations.keepOldData] !== 'false';

/**
 * Takes a snapshot of the volume's present data, and stores the claim with it: a rollback needs nothing else to restore both. A
 * snapshot of an earlier attempt of the restore is used as it is: nothing was written before it existed.
 * @throws AppError SNAPSHOT_…: then nothing is written either
 */
export async function snapshotOldData(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  context: RestoreActionContext,
  signal: AbortSignal,
): Promise<void> {
  const { kube, restore, backup } = context;
  const { namespace = '', uid = '' } = claim.metadata;
  const { items } = await listAll(kube, volumeSnapshotType, { namespace, labelSelector: oldDataOf(restore), signal });
  if (items.some((each) => each.metadata.labels?.[labels.pvcUid] === uid && isComplete(each))) return;
  const driver = volume.spec.csi?.driver ?? '';
  const classes = await listAll(kube, volumeSnapshotClassType, { signal });
  const chosen = chooseClass(snapshotClassKind, driver, classes.items, namedClass(claim, backup, driver, undefined));
  const own = {
    [labels.oldDataOf]: getValidName(restore.metadata.uid ?? ''),
    [labels.restoreName]: getValidName(restore.metadata.name ?? ''),
    [labels.pvcUid]: uid,
  };
  const { ms: timeoutMs } = timeoutOf(backup);
  const request = { claim, snapshotClass: chosen.metadata.name ?? '', labels: own, timeoutMs };
  const { snapshot } = await takeSnapshot(request, { ...context, sight: watchEach(context) }, signal);
  const body = { metadata: { annotations: { [annotations.oldClaim]: JSON.stringify(claimToKeep(claim)) } } };
  await kube.patch(volumeSnapshotType, keyOf(snapshot), { type: 'merge', body }, { signal });
}

/** A snapshot without the stored claim may have failed; then another is taken, and both are deleted with the restore. */
const isComplete = ({ metadata }: VolumeSnapshot): boolean =>
  metadata.annotations?.[annotations.oldClaim] !== undefined;

/** The fields that recreate the claim. */
function claimToKeep({ metadata, spec }: PersistentVolumeClaim): PersistentVolumeClaim {
  const { namespace = '', name = '', labels: own, annotations: noted = {} } = metadata;
  const binder: readonly string[] = [
    annotations.bindCompleted,
    annotations.boundByController,
    annotations.selectedNode,
  ];
  const kept = Object.fromEntries(Object.entries(noted).filter(([key]) => !binder.includes(key)));
  const { volumeName: _, selector: __, dataSource: ___, dataSourceRef: ____, ...rest } = spec;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name, ...(own === undefined ? {} : { labels: own }), annotations: kept },
    spec: rest,
  };
}

/** Deletes the snapshots of old data: after the deletion of the restore no rollback is possible. Safe to repeat. */
export async function deleteOldData(kube: KubeApi, restore: Restore, signal: AbortSignal): Promise<void> {
  try {
    const { items } = await listAll(kube, volumeSnapshotType, { labelSelector: oldDataOf(restore), signal });
    for (const snapshot of items) await deleteSnapshot(kube, snapshot);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
