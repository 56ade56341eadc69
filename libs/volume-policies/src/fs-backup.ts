import { annotations, type BackupSpec, type Pod, type Volume } from '@lateen/api-types';
import type { VolumePolicy } from '@lateen/item-filters';
import { matchingPolicy, saysText } from './volume-action.ts';
import type { PolicyVolume } from './volume-facts.ts';

/** What decides about the volumes of one pod. */
export interface FsBackupInput {
  pod: Pod;
  spec: FsBackupSpec;
  policies: readonly VolumePolicy[];
  /** Claim and volume of a claim of the pod's namespace, as far as they are there. */
  claimed(claimName: string): Omit<PolicyVolume, 'podVolume'> | undefined;
  /** Whether claims are left out of the backup. */
  claimsExcluded: boolean;
}

export type FsBackupSpec = Pick<BackupSpec, 'defaultVolumesToFsBackup' | 'defaultVolumesToRestic'>;

/** Which volumes of a pod are read through the file system, by name, and why the others are not (backup-and-restore.md section 5). */
export function podVolumesForFsBackup(input: FsBackupInput): {
  fsBackup: string[];
  skipped: { volume: string; reason: string }[];
} {
  const fsBackup: string[] = [];
  const skipped: { volume: string; reason: string }[] = [];
  for (const volume of input.pod.spec.volumes ?? []) {
    const reason = whyNotFsBackup(volume, input);
    if (reason === undefined) fsBackup.push(volume.name);
    else skipped.push({ volume: volume.name, reason });
  }
  return { fsBackup, skipped };
}

/** Kubernetes makes them anew from objects that are in the backup; a host path belongs to its node. */
const neverRead = ['hostPath', 'secret', 'configMap', 'projected', 'downwardAPI'];

function whyNotFsBackup(
  volume: Volume,
  { pod, spec, policies, claimed, claimsExcluded }: FsBackupInput,
): string | undefined {
  const type = neverRead.find((field) => volume[field] !== undefined && volume[field] !== null);
  if (type !== undefined) return `${type} volumes are not read through the file system`;
  if (volume.name.startsWith('default-token')) return 'it holds the token of a service account';
  const claim = volume.persistentVolumeClaim;
  if (claim !== undefined && claimsExcluded) return 'claims are not in the backup';
  const objects = claim === undefined ? undefined : claimed(claim.claimName);
  const matched = matchingPolicy({ ...objects, podVolume: volume }, policies);
  if (matched !== undefined) return matched.action.type === 'fs-backup' ? undefined : saysText(matched);
  return isChosen(pod, volume.name, spec) ? undefined : notChosenReason(pod, spec);
}

function notChosenReason({ metadata }: Pod, spec: FsBackupSpec): string {
  const annotation = readsByDefault(spec) ? annotations.backupVolumesExcludes : annotations.backupVolumes;
  return readsByDefault(spec)
    ? `annotation ${annotation} of pod ${metadata.name} leaves it out`
    : `annotation ${annotation} of pod ${metadata.name} does not name it`;
}

/** Whether the annotations of the pod, or the default of the backup, choose the file system for a volume; policies are not asked. */
export function isChosen({ metadata }: Pod, volume: string, spec: FsBackupSpec): boolean {
  const named = (key: string) => (metadata.annotations?.[key] ?? '').split(',').some((name) => name.trim() === volume);
  return readsByDefault(spec) ? !named(annotations.backupVolumesExcludes) : named(annotations.backupVolumes);
}

const readsByDefault = ({ defaultVolumesToFsBackup, defaultVolumesToRestic }: FsBackupSpec): boolean =>
  defaultVolumesToFsBackup ?? defaultVolumesToRestic ?? false;
