import {
  type BackupSpec,
  claimNameOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from '@lateen/api-types';
import type { VolumePolicy } from '@lateen/item-filters';
import { type FsBackupSpec, isChosen } from './fs-backup.ts';
import { matchingPolicy, saysText } from './volume-action.ts';

export interface SnapshotInput {
  /** Absent for a volume that no claim is bound to. */
  claim?: PersistentVolumeClaim | undefined;
  /** Absent while the claim is not bound. */
  volume?: PersistentVolume | undefined;
  /** Pods that use the claim, as far as they are in the backup. */
  podsUsing: readonly Pod[];
  spec: FsBackupSpec & Pick<BackupSpec, 'snapshotVolumes'>;
  policies: readonly VolumePolicy[];
}

export type SnapshotChoice =
  | {
      snapshot: true;
      /** What the volume policy asks for; absent leaves it to the backup. */
      dataMover?: string;
      snapshotClass?: string;
    }
  | { snapshot: false; reason: string };

/** Whether a volume is snapshotted, and why not (backup-and-restore.md section 5; the first rule that applies). */
export function shouldSnapshot({ claim, volume, podsUsing, spec, policies }: SnapshotInput): SnapshotChoice {
  const matched = matchingPolicy({ pv: volume, pvc: claim }, policies);
  if (matched !== undefined && matched.action.type !== 'snapshot')
    return { snapshot: false, reason: saysText(matched) };
  // Velero fails here; a claim that has no volume yet has no data that could be lost.
  if (claim !== undefined && volume === undefined)
    return { snapshot: false, reason: 'the claim is not bound to a volume' };
  if (matched !== undefined) {
    const { dataMover, snapshotClass } = matched.action;
    return {
      snapshot: true,
      ...(dataMover === undefined ? {} : { dataMover }),
      ...(snapshotClass === undefined ? {} : { snapshotClass }),
    };
  }
  // Nothing can read a block volume through the file system: whatever pods say, it is left to the snapshot.
  const isBlock = claim?.spec.volumeMode === 'Block';
  const reader = claim && !isBlock && podsUsing.find((pod) => readsClaim(pod, claim.metadata.name ?? '', spec));
  if (reader) {
    return { snapshot: false, reason: `pod ${reader.metadata.name} has it read through the file system` };
  }
  return spec.snapshotVolumes === false ? { snapshot: false, reason: 'snapshotVolumes is false' } : { snapshot: true };
}

const readsClaim = (pod: Pod, claim: string, spec: FsBackupSpec): boolean =>
  (pod.spec.volumes ?? []).some(
    (volume) => claimNameOf(pod.metadata.name ?? '', volume) === claim && isChosen(pod, volume.name, spec),
  );
