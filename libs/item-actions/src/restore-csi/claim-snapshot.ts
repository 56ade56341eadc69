import {
  annotations,
  type PersistentVolumeClaim,
  snapshotGroup,
  type VolumeSnapshot,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { compareQuantities, keyOf, keyText, parseQuantity, wholeUnits } from '@lateen/kube';
import type { RestoreActionContext, RestoreVolumeFacts } from '../contract/restore-item-action.ts';
import { restoredSnapshotName } from './snapshot-name.ts';

/**
 * The VolumeSnapshot that the stored claim names; undefined for a claim that was not snapshotted.
 * @throws AppError DATA_NOT_IN_BACKUP: the data is missing, and an empty volume must not be taken for it
 */
export async function snapshotOf(
  stored: PersistentVolumeClaim,
  { backup, archived }: Pick<RestoreActionContext, 'backup' | 'archived'>,
  signal: AbortSignal,
): Promise<VolumeSnapshot | undefined> {
  const name = stored.metadata.annotations?.[annotations.volumeSnapshotName] ?? '';
  if (name === '' || backup.spec.snapshotMoveData === true) return undefined;
  const { namespace = '' } = stored.metadata;
  const { group, resource } = volumeSnapshotType;
  const snapshot = await archived({ group, resource, namespace, name }, signal);
  if (snapshot !== undefined) return snapshot as unknown as VolumeSnapshot;
  throw new AppError(
    'DATA_NOT_IN_BACKUP',
    `the data of PVC ${keyText(keyOf(stored))} is not in the backup: VolumeSnapshot ${namespace}/${name} is not in it`,
    {
      nextStep: 'Restore from a backup that has it; with restorePVs false the claim is restored with an empty volume.',
    },
  );
}

/** The fields with which the claim's volume is created from the snapshot, with at least the size of the snapshot. */
export function sourceSpec(
  { spec }: PersistentVolumeClaim,
  snapshot: VolumeSnapshot,
  restore: RestoreActionContext['restore'],
): Partial<PersistentVolumeClaim['spec']> {
  const name = restoredSnapshotName(restore, snapshot.metadata.name ?? '');
  const source = { apiGroup: snapshotGroup, kind: 'VolumeSnapshot', name };
  const size = sizeOf(snapshot);
  const asked = spec.resources?.requests?.storage;
  const isTooSmall = size !== undefined && (asked === undefined || compareText(asked, size) < 0);
  const requests = isTooSmall ? { ...spec.resources?.requests, storage: size } : undefined;
  return {
    dataSource: source,
    dataSourceRef: source,
    ...(requests === undefined ? {} : { resources: { ...spec.resources, requests } }),
  };
}

export function snapshotFacts(snapshot: VolumeSnapshot, restore: RestoreActionContext['restore']): RestoreVolumeFacts {
  const { annotations: noted = {}, name = '' } = snapshot.metadata;
  const { [annotations.csiVolumeSnapshotHandle]: snapshotHandle, [annotations.csiDriverName]: driver } = noted;
  const size = parseQuantity(sizeOf(snapshot) ?? '');
  const restored = restoredSnapshotName(restore, name);
  return {
    method: 'CSISnapshot',
    dataMoved: false,
    snapshotName: restored,
    contentName: restored,
    ...(snapshotHandle === undefined ? {} : { snapshotHandle }),
    ...(driver === undefined ? {} : { driver }),
    ...(size === undefined ? {} : { sizeBytes: Number(wholeUnits(size)) }),
  };
}

const sizeOf = ({ metadata, status }: VolumeSnapshot): string | undefined => {
  const size = metadata.annotations?.[annotations.csiVolumeSnapshotRestoreSize] ?? status?.restoreSize;
  return parseQuantity(size ?? '') === undefined ? undefined : size;
};

function compareText(a: string, b: string): number {
  const [first, second] = [parseQuantity(a), parseQuantity(b)];
  return first === undefined || second === undefined ? 0 : compareQuantities(first, second);
}
