import {
  type Backup,
  type BackupRepository,
  backupType,
  type DataUpload,
  getValidName,
  labels,
  type PodVolumeBackup,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import {
  type BackupRepositoryKey,
  findBackupRepository,
  podVolumeUploaderType,
  uploaderTypeOf,
} from '@lateen/repository';
import type { BringFile } from '../run/read-file.ts';
import { findMovements } from './find-movements.ts';
import { isOfVolume, phaseOf, volumeOf } from './movement-facts.ts';
import { kindOf, type Movement } from './movement-kinds.ts';
import { type StoredSnapshot, volumeInBackup } from './volume-in-backup.ts';

/** Which stored volume is meant: by its movement, or by backup and claim. */
export type StoredVolumeChoice = { readonly movement: string } | { readonly backup: string; readonly volume: string };

/** A volume in a repository. */
export interface StoredVolume extends Omit<StoredSnapshot, 'key'> {
  readonly repository: BackupRepository;
}

export interface FindStoredVolume {
  readonly namespace: string;
  readonly choice: StoredVolumeChoice;
  /** Reads the files of a backup. Used only for a backup whose uploads are not in this cluster: it was made by another one, or the uploads were deleted. */
  bringOf(backup: Backup): Promise<BringFile>;
}

/**
 * The snapshot of a volume in its repository.
 * @throws AppError NO_SUCH_MOVEMENT, AMBIGUOUS_NAME, VOLUME_NOT_IN_BACKUP; NOT_VERIFIABLE for a restore, or an upload that did not complete;
 * REPOSITORY_NOT_FOUND; SNAPSHOT_VERIFY_UNSUPPORTED for restic; KUBE_…; what a download throws
 */
export async function findStoredVolume(
  kube: KubeApi,
  options: FindStoredVolume,
  signal: AbortSignal,
): Promise<StoredVolume> {
  const { key, ...stored } = await storedSnapshot(kube, options, signal);
  const repository = await findBackupRepository(kube, key, { signal });
  if (repository === undefined)
    throw new AppError(
      'REPOSITORY_NOT_FOUND',
      `there is no BackupRepository for namespace ${key.volumeNamespace} in location ${key.location}`,
      { nextStep: 'See lateen repo get. A backup into this location, or a restore from it, creates the object again.' },
    );
  if (key.type === 'restic')
    throw new AppError('SNAPSHOT_VERIFY_UNSUPPORTED', 'restic cannot check a single snapshot', {
      nextStep: `Check the whole repository: lateen repo check ${repository.metadata.name} --read-data`,
    });
  return { ...stored, repository };
}

async function storedSnapshot(
  kube: KubeApi,
  { namespace, choice, bringOf }: FindStoredVolume,
  signal: AbortSignal,
): Promise<StoredSnapshot> {
  if ('movement' in choice) {
    const [only] = await findMovements(kube, namespace, { names: [choice.movement] }, signal);
    if (only === undefined) throw new Error(`findMovements returned nothing for ${choice.movement}`);
    return ofMovement(only, namespace);
  }
  const labelSelector = `${labels.backupName}=${getValidName(choice.backup)}`;
  const found = await findMovements(kube, namespace, { labelSelector }, signal);
  // An upload that was tried again by hand has the newer object.
  const [newest] = found
    .filter((each) => isOfVolume(each, choice.volume))
    .toSorted((a, b) => createdOf(b).localeCompare(createdOf(a)));
  if (newest !== undefined) return ofMovement(newest, namespace);
  const backup = await readObject(kube, backupType, { namespace, name: choice.backup }, signal);
  const stored = backup && (await volumeInBackup(backup, choice.volume, await bringOf(backup), signal));
  if (stored !== undefined) return stored;
  throw new AppError('VOLUME_NOT_IN_BACKUP', `backup ${choice.backup} has moved no volume ${choice.volume}`, {
    nextStep:
      backup === undefined
        ? `There is no such backup in this cluster. List them with: lateen backup get`
        : `See what it has: lateen backup describe ${choice.backup} --details`,
  });
}

const createdOf = ({ metadata }: Movement): string => metadata.creationTimestamp ?? '';

/** @throws NOT_VERIFIABLE */
function ofMovement(movement: Movement, namespace: string): StoredSnapshot {
  const from = uploadOf(movement);
  const snapshotID = from.status?.snapshotID ?? '';
  if (phaseOf(from) !== 'Completed' || snapshotID === '')
    throw new AppError('NOT_VERIFIABLE', `${nameOf(from)} is ${phaseOf(from)}: it has stored no snapshot`, {
      nextStep: 'Choose one that is Completed: lateen volume list',
    });
  return { from, volume: volumeOf(from), snapshotID, key: repositoryKey(from, namespace) };
}

/** @throws NOT_VERIFIABLE for a restore */
function uploadOf(movement: Movement): DataUpload | PodVolumeBackup {
  if (movement.kind === 'DataUpload' || movement.kind === 'PodVolumeBackup')
    return movement as DataUpload | PodVolumeBackup;
  throw new AppError('NOT_VERIFIABLE', `${nameOf(movement)} is ${kindOf(movement).about}: it stores no snapshot`, {
    nextStep: 'Name the upload that it restores from.',
  });
}

const nameOf = ({ kind, metadata }: Movement): string => `${kind} ${metadata.name}`;

function repositoryKey(movement: DataUpload | PodVolumeBackup, namespace: string): BackupRepositoryKey {
  const location = movement.spec.backupStorageLocation;
  if (movement.kind === 'PodVolumeBackup') {
    const { spec } = movement as PodVolumeBackup;
    return { namespace, location, volumeNamespace: spec.pod.namespace ?? '', type: podVolumeUploaderType(spec) };
  }
  const { sourceNamespace: volumeNamespace, dataMoverConfig } = (movement as DataUpload).spec;
  return { namespace, location, volumeNamespace, type: uploaderTypeOf(dataMoverConfig) };
}
