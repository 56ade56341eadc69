import {
  annotations,
  type PersistentVolume,
  type PodVolumeBackup,
  persistentVolumeClaimType,
  type VolumeSnapshot,
} from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import type { Catalog, LegacyVolumes } from '../engine/contract.ts';
import type { VolumeBackedUp } from './decide-volume.ts';

export async function readLegacyVolumes(
  files: BackupStore,
  backup: string,
  signal: AbortSignal,
): Promise<LegacyVolumes> {
  const [nativeSnapshots, podVolumeBackups, csiSnapshots] = await Promise.all([
    files.getVolumeSnapshots(backup, { signal }),
    files.getPodVolumeBackups(backup, { signal }),
    files.getCsiVolumeSnapshots(backup, { signal }),
  ]);
  return { nativeSnapshots, podVolumeBackups, csiSnapshots: csiSnapshots as VolumeSnapshot[] };
}

/** How a volume was backed up, by the first of the files that mentions it (backup-and-restore.md section 13). Pure. */
export function legacyBackedUp(
  { nativeSnapshots, podVolumeBackups, csiSnapshots }: LegacyVolumes,
  catalog: Pick<Catalog, 'find'>,
): (volume: PersistentVolume) => VolumeBackedUp {
  return ({ metadata, spec }) => {
    if (nativeSnapshots.some((each) => each.spec.persistentVolumeName === metadata.name))
      return { method: 'NativeSnapshot' };
    const { namespace, name } = spec.claimRef ?? {};
    if (namespace === undefined || name === undefined) return undefined;
    const isOfPod = ({ metadata: { annotations: noted = {} }, spec: { pod } }: PodVolumeBackup) =>
      noted[annotations.pvcName] === name && pod.namespace === namespace;
    if (podVolumeBackups.some(isOfPod)) return { method: 'PodVolumeBackup' };
    const isSnapshotted = csiSnapshots.some(
      (each) => each.metadata.namespace === namespace && each.spec.source.persistentVolumeClaimName === name,
    );
    if (isSnapshotted) return { method: 'CSISnapshot' };
    const { group, resource } = persistentVolumeClaimType;
    const isMoved = catalog.find({ group, resource, namespace, name })?.annotations?.[annotations.dataUploadName];
    return isMoved === undefined ? undefined : { method: 'CSISnapshot' };
  };
}
