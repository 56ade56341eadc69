import {
  type BackupRepository,
  type BackupStorageLocation,
  backupRepositoryType,
  backupStorageLocationType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import {
  cacheLimitMB,
  openKopiaSession,
  openResticSession,
  type RepositoryTarget,
  readRepositoryPassword,
  type SessionOptions,
} from '@lateen/repository';
import { kopiaRepository, type RepositorySession, resticRepository } from '@lateen/repository/operations';
import { type ListAccountKey, readLocation } from '@lateen/storage-location';

export interface SessionPorts {
  kube: KubeApi;
  /** Asked for the key of an Azure storage account. */
  listAccountKey: ListAccountKey;
  namespace: string;
  sessions: Readonly<Record<'kopia' | 'restic', SessionOptions>>;
}

/** A repository and everything that is needed to open it. Holds secrets: never log one. */
export interface FoundRepository {
  repository: BackupRepository;
  engine: 'kopia' | 'restic';
  target: RepositoryTarget;
}

/** @throws REPOSITORY_NOT_FOUND, REPOSITORY_TYPE_UNKNOWN, LOCATION_…, SECRET_…, CREDENTIALS_INVALID, KUBE_… */
export async function findRepository(
  { kube, listAccountKey, namespace }: SessionPorts,
  name: string,
  signal: AbortSignal,
): Promise<FoundRepository> {
  const repository = await found(kube.get(backupRepositoryType, { namespace, name }, { signal }), () => {
    return new AppError('REPOSITORY_NOT_FOUND', `BackupRepository ${namespace}/${name} does not exist`, {
      nextStep: 'See lateen repo get for those that do.',
    });
  });
  const { repositoryType, backupStorageLocation, volumeNamespace, repositoryConfig } = repository.spec;
  if (repositoryType !== 'kopia' && repositoryType !== 'restic') {
    throw new AppError(
      'REPOSITORY_TYPE_UNKNOWN',
      `spec.repositoryType "${repositoryType ?? ''}" is not an engine of Lateen`,
    );
  }
  const locationKey = { namespace, name: backupStorageLocation };
  const location: BackupStorageLocation = await found(
    kube.get(backupStorageLocationType, locationKey, { signal }),
    () => {
      return new AppError(
        'LOCATION_NOT_FOUND',
        `BackupStorageLocation ${namespace}/${backupStorageLocation} does not exist`,
        { nextStep: 'Create it, or delete this BackupRepository.' },
      );
    },
  );
  const [resolved, password] = await Promise.all([
    readLocation(kube, location, { listAccountKey, signal }),
    readRepositoryPassword(kube, namespace, { signal }),
  ]);
  return {
    repository,
    engine: repositoryType,
    target: {
      location: resolved,
      volumeNamespace,
      password,
      uid: repository.metadata.uid ?? '',
      cacheLimitMB: cacheLimitMB(repositoryConfig),
    },
  };
}

/** The engine set up for it; nothing is contacted yet. The caller closes it. */
export async function openSession(
  { sessions }: SessionPorts,
  { engine, target }: Pick<FoundRepository, 'engine' | 'target'>,
): Promise<RepositorySession> {
  if (engine === 'kopia') return kopiaRepository(await openKopiaSession(target, sessions.kopia));
  return resticRepository(await openResticSession(target, sessions.restic));
}

async function found<T>(asked: Promise<T>, missing: () => AppError): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw isNotFound(error) ? missing() : error;
  }
}
