import { type BackupRepository, type DataUpload, getValidName, labels, type PodVolumeBackup } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  type BackupRepositoryKey,
  findBackupRepository,
  podVolumeUploaderType,
  uploaderTypeOf,
} from '@lateen/repository';
import { findMovements } from './find-movements.ts';
import { isOfVolume, phaseOf } from './movement-facts.ts';
import { kindOf, type Movement } from './movement-kinds.ts';

/** Which stored volume is meant: by its movement, or by backup and claim. */
export type StoredVolumeChoice = { readonly movement: string } | { readonly backup: string; readonly volume: string };

/** A volume in a repository. */
export interface StoredVolume {
  readonly movement: DataUpload | PodVolumeBackup;
  readonly snapshotID: string;
  readonly repository: BackupRepository;
}

/**
 * The snapshot of a volume in its repository.
 * @throws AppError NO_SUCH_MOVEMENT, AMBIGUOUS_NAME, VOLUME_NOT_IN_BACKUP; NOT_VERIFIABLE for a restore, or an upload that did not complete;
 * REPOSITORY_NOT_FOUND; SNAPSHOT_VERIFY_UNSUPPORTED for restic; KUBE_…
 */
export async function findStoredVolume(
  kube: KubeApi,
  namespace: string,
  choice: StoredVolumeChoice,
  signal: AbortSignal,
): Promise<StoredVolume> {
  const movement = uploadOf(await chosenMovement(kube, namespace, choice, signal));
  const snapshotID = movement.status?.snapshotID ?? '';
  if (phaseOf(movement) !== 'Completed' || snapshotID === '')
    throw new AppError('NOT_VERIFIABLE', `${nameOf(movement)} is ${phaseOf(movement)}: it has stored no snapshot`, {
      nextStep: 'Choose one that is Completed: lateen volume list',
    });
  const key = repositoryKey(movement, namespace);
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
  return { movement, snapshotID, repository };
}

async function chosenMovement(
  kube: KubeApi,
  namespace: string,
  choice: StoredVolumeChoice,
  signal: AbortSignal,
): Promise<Movement> {
  if ('movement' in choice) {
    const [only] = await findMovements(kube, namespace, { names: [choice.movement] }, signal);
    if (only !== undefined) return only;
  } else {
    const labelSelector = `${labels.backupName}=${getValidName(choice.backup)}`;
    const found = await findMovements(kube, namespace, { labelSelector }, signal);
    const ofVolume = found.filter((each) => isOfVolume(each, choice.volume));
    // An upload that was tried again by hand has the newer object.
    const newest = ofVolume.toSorted((a, b) => createdOf(b).localeCompare(createdOf(a)))[0];
    if (newest !== undefined) return newest;
  }
  const { backup = '', volume = '' } = 'backup' in choice ? choice : {};
  throw new AppError('VOLUME_NOT_IN_BACKUP', `backup ${backup} has moved no volume ${volume}`, {
    nextStep: `See what it has: lateen volume list -l ${labels.backupName}=${getValidName(backup)}`,
  });
}

const createdOf = ({ metadata }: Movement): string => metadata.creationTimestamp ?? '';

/** @throws NOT_VERIFIABLE for a restore */
function uploadOf(movement: Movement): DataUpload | PodVolumeBackup {
  if (movement.kind === 'DataUpload' || movement.kind === 'PodVolumeBackup')
    return movement as DataUpload | PodVolumeBackup;
  throw new AppError('NOT_VERIFIABLE', `${nameOf(movement)} is ${kindOf(movement).about}: it stores no snapshot`, {
    nextStep: 'Name the upload that it restores from.',
  });
}

const nameOf = ({ kind, metadata }: Movement): string => `${kind} ${metadata.name}`;

export const isPodVolume = (movement: DataUpload | PodVolumeBackup): movement is PodVolumeBackup =>
  movement.kind === 'PodVolumeBackup';

function repositoryKey(movement: DataUpload | PodVolumeBackup, namespace: string): BackupRepositoryKey {
  const location = movement.spec.backupStorageLocation;
  if (isPodVolume(movement)) {
    const { spec } = movement;
    return { namespace, location, volumeNamespace: spec.pod.namespace ?? '', type: podVolumeUploaderType(spec) };
  }
  const { sourceNamespace: volumeNamespace, dataMoverConfig } = movement.spec;
  return { namespace, location, volumeNamespace, type: uploaderTypeOf(dataMoverConfig) };
}
