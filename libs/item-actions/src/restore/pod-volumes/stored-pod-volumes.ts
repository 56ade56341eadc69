import { annotations, type Pod, type PodVolumeBackup, type UploaderType, type Volume } from '@lateen/api-types';
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

export interface StoredOfPod {
  volumes: StoredPodVolume[];
  /** Those that were to be backed up through the file system, and were not: why. */
  missing: { volume: string; why: string }[];
}

/** Those of a pod as it is in the backup, in the order of its volumes; a claim that was backed up with another pod too. */
export type StoredPodVolumes = (pod: Pod, context: RestoreActionContext, signal: AbortSignal) => Promise<StoredOfPod>;

/** On pods of very old backups, with the name of a volume behind it: its snapshot, which restic made. */
const legacyAnnotation = 'snapshot.velero.io/';

/** What brings a volume back, or why nothing does. */
type Kept = Omit<StoredPodVolume, 'claim'> | { why: string };

/**
 * Reads the PodVolumeBackups once per restore; what is kept of each is what a restore needs. A claim that several pods mount was backed up with
 * one of them, and is of all of them.
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
      // PodVolumeBackups say more, so the annotation counts only where there are none.
      const kept = best(own, shared) ?? (ofPod === undefined ? legacyOf(volume, noted ?? {}) : undefined);
      if (kept !== undefined && 'why' in kept) stored.missing.push({ volume, why: kept.why });
      else if (kept !== undefined) stored.volumes.push({ ...kept, volume, ...(claim === undefined ? {} : { claim }) });
    }
    return stored;
  };
}

/** Very old backups have these, and Kubernetes lets nobody write them. */
const isRestorable = ({ projected, downwardAPI }: Volume): boolean => !projected && !downwardAPI;

function keep(into: Map<string, Kept>, key: string, kept: Kept): void {
  into.set(key, best(kept, into.get(key)) ?? kept);
}

/** The first that has data, else the first. */
function best(...given: (Kept | undefined)[]): Kept | undefined {
  const known = given.filter((each) => each !== undefined);
  return known.find((each) => !('why' in each)) ?? known[0];
}

/** Undefined for a volume that was empty, which brings nothing back and lacks nothing. */
function keptOf({ metadata, spec, status }: PodVolumeBackup): Kept | undefined {
  const { phase = 'New', message = '' } = status ?? {};
  if (phase !== 'Completed')
    return { why: `PodVolumeBackup ${metadata.name} is ${phase}${message === '' ? '' : `: ${message}`}` };
  if ((status?.snapshotID ?? '') === '') return undefined;
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
