import { type BackupRepository, backupRepositoryType, getValidName, labels } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isAlreadyExists, type KubeApi, selectorText } from '@lateen/kube';
import { backupRepositoryName, kopiaRepositoryType, type RepositoryType } from '../conventions/repository-names.ts';

/** Identifies a BackupRepository: there is one per workload namespace, location and type. */
export interface BackupRepositoryKey {
  /** Namespace of the Lateen installation. */
  namespace: string;
  volumeNamespace: string;
  /** Name of the BackupStorageLocation. */
  location: string;
  /** Default: kopia. */
  type?: RepositoryType;
}

/** The labels by which a BackupRepository is found (data-movement.md section 7; values as api.md section 14). */
export function backupRepositoryLabels(key: BackupRepositoryKey): Record<string, string> {
  return {
    [labels.volumeNamespace]: getValidName(key.volumeNamespace),
    [labels.storageLocation]: getValidName(key.location),
    [labels.repositoryType]: key.type ?? kopiaRepositoryType,
  };
}

/**
 * The BackupRepository of a namespace; creates one for the controller to initialise when there is none. Found by labels, never by
 * name alone. Safe to repeat and to run concurrently: the loser of a race takes the winner's object.
 * @throws REPOSITORY_AMBIGUOUS, KUBE_…
 */
export async function findOrCreateBackupRepository(
  kube: KubeApi,
  key: BackupRepositoryKey,
  options: { signal: AbortSignal },
): Promise<BackupRepository> {
  const found = await findBackupRepository(kube, key, options);
  if (found !== undefined) return found;
  const wanted = newBackupRepository(key);
  try {
    return await kube.create(backupRepositoryType, wanted, { namespace: key.namespace, ...options });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const winner = await findBackupRepository(kube, key, options);
    if (winner === undefined) throw error;
    return winner;
  }
}

export async function findBackupRepository(
  kube: KubeApi,
  key: BackupRepositoryKey,
  options: { signal: AbortSignal },
): Promise<BackupRepository | undefined> {
  const labelSelector = selectorText({ matchLabels: backupRepositoryLabels(key) });
  const { items } = await kube.list(backupRepositoryType, { namespace: key.namespace, labelSelector, ...options });
  if (items.length <= 1) return items[0];
  const names = items.map(({ metadata }) => metadata.name).join(', ');
  throw new AppError(
    'REPOSITORY_AMBIGUOUS',
    `more than one BackupRepository of type ${key.type ?? kopiaRepositoryType} for namespace ${key.volumeNamespace} in location ${key.location}: ${names}`,
    { nextStep: 'Delete all but one of them; what is in the bucket stays.' },
  );
}

function newBackupRepository(key: BackupRepositoryKey): BackupRepository {
  const repositoryType = key.type ?? kopiaRepositoryType;
  return {
    apiVersion: `${backupRepositoryType.group}/${backupRepositoryType.version}`,
    kind: backupRepositoryType.kind,
    metadata: {
      name: backupRepositoryName(key.volumeNamespace, key.location, repositoryType),
      namespace: key.namespace,
      labels: backupRepositoryLabels(key),
    },
    spec: {
      volumeNamespace: key.volumeNamespace,
      backupStorageLocation: key.location,
      repositoryType,
      // Zero makes the controller set its default (api.md section 7).
      maintenanceFrequency: '0s',
    },
  };
}
