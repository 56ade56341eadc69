import { isNamespaceName } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** The engines with a repository format of their own, by the names of BackupRepository.spec.repositoryType. */
export const repositoryTypes = ['kopia', 'restic'] as const;
export type RepositoryType = (typeof repositoryTypes)[number];

/** The engine that is used unless another one is asked for (data-movement.md section 9). */
export const kopiaRepositoryType = 'kopia' satisfies RepositoryType;
export const resticRepositoryType = 'restic' satisfies RepositoryType;

/** The blob by which Velero recognises an initialised repository, besides kopia's own. */
export const markerBlobName = 'udmrepo.Repository';

/** kopia's format blob; its presence means that a repository exists. */
export const formatBlobName = 'kopia.repository';

/** kopia writes this blob just before the format blob; without a format blob it is left from an interrupted creation. */
export const halfMadeBlobName = 'kopia.blobcfg';

/** The user and host name with which a client accesses a repository. */
export interface ClientIdentity {
  username: string;
  hostname: string;
}

/** All clients of a repository use this identity, so that all snapshots belong to one owner. */
export const clientIdentity: ClientIdentity = { username: 'default', hostname: 'default' };
export const ownerText = `${clientIdentity.username}@${clientIdentity.hostname}`;

/** The name under which a BackupRepository is created; found again by labels, not by name (api.md section 7). */
export function backupRepositoryName(volumeNamespace: string, location: string, type: RepositoryType): string {
  return `${volumeNamespace}-${location}-${type}`;
}

/**
 * `<location prefix>/kopia/<namespace>/`, with the trailing slash that kopia needs: it concatenates prefix and blob name.
 * @throws REPOSITORY_INVALID
 */
export function repositoryPrefix(locationPrefix: string, volumeNamespace: string): string {
  checkVolumeNamespace(volumeNamespace);
  return `${locationPrefix === '' ? '' : `${locationPrefix}/`}${kopiaRepositoryType}/${volumeNamespace}/`;
}

/**
 * Refuses text that is not a valid namespace name before it becomes part of a path: `../other` would be the repository of another
 * namespace. @throws REPOSITORY_INVALID
 */
export function checkVolumeNamespace(volumeNamespace: string): void {
  if (isNamespaceName(volumeNamespace)) return;
  throw new AppError(
    'REPOSITORY_INVALID',
    `BackupRepository.spec.volumeNamespace ${JSON.stringify(volumeNamespace.slice(0, 80))} is not the name of a namespace`,
    { nextStep: 'Delete this BackupRepository; one with the right name is made when it is needed.' },
  );
}
