import { annotations, type Pod, type PodVolumeBackup, type UploaderType, type Volume } from '@lateen/api-types';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { perRestore } from '../../per-run.ts';

/** A pod volume that was backed up through the file system, and what its restore needs. */
export interface StoredPodVolume {
  /** Its name in the pod. */
  volume: string;
  snapshotID: string;
  uploaderType: UploaderType;
  /** Address of a restic repository; empty for kopia. */
  repoIdentifier: string;
  /** Absent when the backup does not state it. */
  sizeBytes?: number;
  /** The claim of the volume in the namespace of the pod. */
  claim?: string;
}

export interface StoredOfPod {
  volumes: StoredPodVolume[];
  /** Volumes that were to be backed up through the file system and were not, with the reason. */
  missing: { volume: string; why: string }[];
}

/** The volumes of a pod as it is in the backup, in their order there; includes a claim that was backed up through another pod. */
export type StoredPodVolumes = (pod: Pod, context: RestoreActionContext, signal: AbortSignal) => Promise<StoredOfPod>;

/** On pods of very old backups, followed by the name of a volume: the ID of its restic snapshot. */
const legacyAnnotation = 'snapshot.velero.io/';

/** What a restore of a volume needs, or why it has no data. */
type Kept = Omit<StoredPodVolume, 'claim'> | { why: string };

/**
 * Reads the PodVolumeBackups once per restore, and keeps only the fields that a restore needs. A claim that several pods mount
 * was backed up through one of them, and its data is used for all of them.
 */
export function storedPodVolumes(): StoredPodVolumes {
  const read = perRestore(async ({ podVolumeBackups }, signal) => {
    const byPod = new Map<string, Map<string, Kept>>();
    const byClaim = new Map<string, Kept>();
    for (const backup of await podVolumeBackups(signal)) {
      const kept = keptOf(backup);
      if (kept === undefined) continue;
      const { namespace, name } = backup.spec.pod;
      const ofPod = byPod.get(`${namespace}/${name}`) ?? new Map<string, Kept>();
      byPod.set(`${namespace}/${name}`, ofPod);
      keep(ofPod, backup.spec.volume, kept);
      const claim = backup.metadata.annotations?.[annotations.pvcName];
      if (claim !== undefined) keep(byClaim, `${namespace}/${claim}`, kept);
    }
    return { byPod, byClaim };
  });
  return async (pod, context, signal) => {
    const { namespace, name, annotations: noted } = pod.metadata;
    const { byPod, byClaim } = await read(context, signal);
    const ofPod = byPod.get(`${namespace}/${name}`);
    const stored: StoredOfPod = { volumes: [], missing: [] };
    for (const each of (pod.spec.volumes ?? []).filter(isRestorable)) {
      const { name: volume, persistentVolumeClaim } = each;
      const claim = persistentVolumeClaim?.claimName;
      const shared = claim === undefined ? undefined : byClaim.get(`${namespace}/${claim}`);
      const own = ofPod?.get(volume);
      // PodVolumeBackups have more details, so the annotation is used only without them.
      const kept = best(own, shared) ?? (ofPod === undefined ? legacyOf(volume, noted ?? {}) : undefined);
      if (kept !== undefined && 'why' in kept) stored.missing.push({ volume, why: kept.why });
      else if (kept !== undefined) stored.volumes.push({ ...kept, volume, ...(claim === undefined ? {} : { claim }) });
    }
    return stored;
  };
}

/** Very old backups have such volumes, and Kubernetes lets no user write them. */
const isRestorable = ({ projected, downwardAPI }: Volume): boolean => !projected && !downwardAPI;

function keep(into: Map<string, Kept>, key: string, kept: Kept): void {
  into.set(key, best(kept, into.get(key)) ?? kept);
}

/** The first with data, otherwise the first. */
function best(...given: (Kept | undefined)[]): Kept | undefined {
  const known = given.filter((each) => each !== undefined);
  return known.find((each) => !('why' in each)) ?? known[0];
}

/** Undefined for a volume that was empty: there is nothing to restore, and nothing is missing. */
function keptOf({ metadata, spec, status }: PodVolumeBackup): Kept | undefined {
  const { phase = 'New', message = '' } = status ?? {};
  if (phase !== 'Completed')
    return { why: `PodVolumeBackup ${metadata.name} is ${phase}${message === '' ? '' : `: ${message}`}` };
  if ((status?.snapshotID ?? '') === '') return undefined;
  const size = status?.progress?.totalBytes ?? 0;
  return {
    volume: spec.volume,
    snapshotID: status?.snapshotID ?? '',
    // When there was only one engine, the field was not set.
    uploaderType: spec.uploaderType || (spec.repoIdentifier === '' ? 'kopia' : 'restic'),
    repoIdentifier: spec.repoIdentifier,
    ...(size > 0 ? { sizeBytes: size } : {}),
  };
}

function legacyOf(volume: string, annotations: Readonly<Record<string, string>>): Kept | undefined {
  const snapshotID = annotations[`${legacyAnnotation}${volume}`] ?? '';
  return snapshotID === '' ? undefined : { volume, snapshotID, uploaderType: 'restic', repoIdentifier: '' };
}
