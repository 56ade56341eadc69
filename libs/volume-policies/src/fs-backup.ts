import { annotations, type BackupSpec, claimNameOf, isMounted, type Pod, type Volume } from '@lateen/api-types';
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

export interface FsBackupChoice {
  /** Volumes that are read through the file system, by name. */
  fsBackup: string[];
  /** Those that were chosen for it and cannot be read so: somebody may believe them safe. */
  refused: { volume: string; reason: string }[];
  /** Those that were not chosen. */
  skipped: { volume: string; reason: string }[];
}

/** Which volumes of a pod are read through the file system, and why the others are not (backup-and-restore.md section 5). */
export function podVolumesForFsBackup(input: FsBackupInput): FsBackupChoice {
  const choice: FsBackupChoice = { fsBackup: [], refused: [], skipped: [] };
  for (const volume of input.pod.spec.volumes ?? []) {
    const { name } = volume;
    const notChosen = whyNotFsBackup(volume, input);
    const refusal = notChosen === undefined ? whyUnreadable(volume, input) : whyNamedInVain(volume, input);
    if (refusal !== undefined) choice.refused.push({ volume: name, reason: refusal });
    else if (notChosen !== undefined) choice.skipped.push({ volume: name, reason: notChosen });
    else choice.fsBackup.push(name);
  }
  const volumes = new Set(input.pod.spec.volumes?.map(({ name }) => name));
  for (const volume of namesToRead(input.pod, input.spec))
    if (!volumes.has(volume)) choice.refused.push({ volume, reason: 'the pod has no volume of that name' });
  return choice;
}

/** Kubernetes makes them anew from objects that are in the backup or from an image; a host path belongs to its node. */
const neverRead = ['hostPath', 'secret', 'configMap', 'projected', 'downwardAPI', 'image'];

/** Of a volume that was chosen (data-movement.md section 6). */
function whyUnreadable(volume: Volume, { pod, claimed }: FsBackupInput): string | undefined {
  const claim = claimNameOf(pod.metadata.name ?? '', volume);
  if (claim !== undefined && claimed(claim)?.pvc?.spec.volumeMode === 'Block')
    return 'it is a block volume, which has no files; only a snapshot can take it';
  return isMounted(pod.spec, volume.name) ? undefined : 'no container of the pod mounts it';
}

/** Who names a volume that is never read believes it safe; who has all of them read means those that can be. */
const whyNamedInVain = (volume: Volume, { pod, spec }: FsBackupInput): string | undefined =>
  namesToRead(pod, spec).includes(volume.name) ? whyNeverRead(volume) : undefined;

function whyNeverRead(volume: Volume): string | undefined {
  const type = neverRead.find((field) => volume[field] !== undefined && volume[field] !== null);
  return type === undefined ? undefined : `${type} volumes are not read through the file system`;
}

function whyNotFsBackup(
  volume: Volume,
  { pod, spec, policies, claimed, claimsExcluded }: FsBackupInput,
): string | undefined {
  const never = whyNeverRead(volume);
  if (never !== undefined) return never;
  if (volume.name.startsWith('default-token')) return 'it holds the token of a service account';
  const claim = claimNameOf(pod.metadata.name ?? '', volume);
  if (claim !== undefined && claimsExcluded) return 'claims are not in the backup';
  const objects = claim === undefined ? undefined : claimed(claim);
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
export const isChosen = (pod: Pod, volume: string, spec: FsBackupSpec): boolean =>
  readsByDefault(spec)
    ? !namesIn(pod, annotations.backupVolumesExcludes).includes(volume)
    : namesToRead(pod, spec).includes(volume);

/** Where not all volumes are read, the ones that the pod names. */
const namesToRead = (pod: Pod, spec: FsBackupSpec): string[] =>
  readsByDefault(spec) ? [] : namesIn(pod, annotations.backupVolumes);

const namesIn = ({ metadata }: Pod, annotation: string): string[] =>
  (metadata.annotations?.[annotation] ?? '').split(',').flatMap((name) => name.trim() || []);

const readsByDefault = ({ defaultVolumesToFsBackup, defaultVolumesToRestic }: FsBackupSpec): boolean =>
  defaultVolumesToFsBackup ?? defaultVolumesToRestic ?? false;
