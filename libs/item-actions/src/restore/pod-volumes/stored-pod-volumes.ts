import { annotations, type Pod, type PodVolumeBackup, type UploaderType } from '@lateen/api-types';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { perRestore } from '../../per-run.ts';

/** A volume of a pod that was backed up through the file system: what brings it back. */
export interface StoredPodVolume {
  /** Its name in the pod. */
  volume: string;
  snapshotID: string;
  uploaderType: UploaderType;
  /** Address of a restic repository; empty for kopia. */
  repoIdentifier: string;
  /** Absent where the backup does not say. */
  sizeBytes?: number;
  /** The claim of the volume in the namespace of the pod. */
  claim?: string;
}

/** Those of a pod as it is in the backup, in the order of its volumes; a claim that was backed up with another pod too. */
export type StoredPodVolumes = (
  pod: Pod,
  context: RestoreActionContext,
  signal: AbortSignal,
) => Promise<StoredPodVolume[]>;

/** On pods of very old backups, with the name of a volume behind it: its snapshot, which restic made. */
const legacyAnnotation = 'snapshot.velero.io/';

type Kept = Omit<StoredPodVolume, 'claim'>;

/**
 * Reads the PodVolumeBackups once per restore; what is kept of each is what a restore needs. A claim that several pods mount was backed up with
 * one of them, and is of all of them.
 */
export function storedPodVolumes(): StoredPodVolumes {
  const read = perRestore(async ({ podVolumeBackups }, signal) => {
    const byPod = new Map<string, Map<string, Kept>>();
    const byClaim = new Map<string, Kept>();
    for (const backup of (await podVolumeBackups(signal)).filter(isOfUse)) {
      const { namespace, name } = backup.spec.pod;
      const kept = keptOf(backup);
      const ofPod = byPod.get(`${namespace}/${name}`) ?? new Map<string, Kept>();
      byPod.set(`${namespace}/${name}`, ofPod.set(backup.spec.volume, kept));
      const claim = backup.metadata.annotations?.[annotations.pvcName];
      if (claim !== undefined) byClaim.set(`${namespace}/${claim}`, kept);
    }
    return { byPod, byClaim };
  });
  return async (pod, context, signal) => {
    const { namespace, name, annotations: noted } = pod.metadata;
    const { byPod, byClaim } = await read(context, signal);
    const ofPod = byPod.get(`${namespace}/${name}`);
    return (pod.spec.volumes ?? []).flatMap(({ name: volume, persistentVolumeClaim }) => {
      const claim = persistentVolumeClaim?.claimName;
      const shared = claim === undefined ? undefined : byClaim.get(`${namespace}/${claim}`);
      // PodVolumeBackups say more, so the annotation counts only where there are none.
      const kept = ofPod?.get(volume) ?? shared ?? (ofPod === undefined ? legacyOf(volume, noted ?? {}) : undefined);
      return kept === undefined ? [] : [{ ...kept, volume, ...(claim === undefined ? {} : { claim }) }];
    });
  };
}

const isOfUse = ({ status }: PodVolumeBackup): boolean =>
  status?.phase === 'Completed' && (status.snapshotID ?? '') !== '';

function keptOf({ spec, status }: PodVolumeBackup): Kept {
  const size = status?.progress?.totalBytes ?? 0;
  return {
    volume: spec.volume,
    snapshotID: status?.snapshotID ?? '',
    // Before there were two engines nobody said which it was.
    uploaderType: spec.uploaderType || (spec.repoIdentifier === '' ? 'kopia' : 'restic'),
    repoIdentifier: spec.repoIdentifier,
    ...(size > 0 ? { sizeBytes: size } : {}),
  };
}

function legacyOf(volume: string, annotations: Readonly<Record<string, string>>): Kept | undefined {
  const snapshotID = annotations[`${legacyAnnotation}${volume}`] ?? '';
  return snapshotID === '' ? undefined : { volume, snapshotID, uploaderType: 'restic', repoIdentifier: '' };
}
