import type { BackupRepository, BackupStorageLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import {
  cacheLimitMB,
  initialiseRepository,
  initialiseResticRepository,
  type RepositoryTarget,
  readRepositoryPassword,
  resticPlace,
  type SessionOptions,
} from '@lateen/repository';
import { type ReachPorts, readLocation } from '@lateen/storage-location';
import { engineOf } from './decide-repository.ts';

export interface OpenRepositoryPorts extends ReachPorts {
  /** Runs kopia. */
  session: SessionOptions;
  /** Runs restic. */
  resticSession: SessionOptions;
  clock: Clock;
}

/** What is written into the spec of a repository that has been opened. */
export interface OpenedRepository {
  /** Address of a restic repository; absent for others. */
  resticIdentifier?: string;
}

/** Making a repository takes seconds; a store that answers so slowly is no store to back up to. */
export const openTimeoutMs = 300_000;

/** Makes sure that the repository exists and opens, by its location and password as they are now. @throws the reason */
export async function openRepository(
  ports: OpenRepositoryPorts,
  repository: BackupRepository,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<OpenedRepository> {
  const timeout = ports.clock.deadline(openTimeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const namespace = repository.metadata.namespace ?? '';
  try {
    const resolved = await readLocation(ports.kube, location, { ...ports, signal: either });
    const password = await readRepositoryPassword(ports.kube, namespace, { signal: either });
    const target = {
      location: resolved,
      volumeNamespace: repository.spec.volumeNamespace,
      password,
      uid: repository.metadata.uid ?? '',
      cacheLimitMB: cacheLimitMB(repository.spec.repositoryConfig),
    };
    const open = engineOf(repository) === 'restic' ? openRestic : openKopia;
    return await open(ports, target, either);
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new AppError('REPOSITORY_TIMEOUT', `the repository did not open within ${durationText(openTimeoutMs)}`, {
      retry: 'later',
      nextStep: 'Check the object store and the network to it.',
    });
  }
}

async function openKopia(
  ports: OpenRepositoryPorts,
  target: RepositoryTarget,
  signal: AbortSignal,
): Promise<OpenedRepository> {
  const store = ports.openStore(target.location);
  try {
    await initialiseRepository(target, { store, session: ports.session, signal });
    return {};
  } finally {
    await store.close();
  }
}

async function openRestic(
  ports: OpenRepositoryPorts,
  target: RepositoryTarget,
  signal: AbortSignal,
): Promise<OpenedRepository> {
  const store = ports.openStore(resticPlace(target.location, target.volumeNamespace).location);
  try {
    const session = ports.resticSession;
    const { identifier } = await initialiseResticRepository(target, { store, session, signal });
    return { resticIdentifier: identifier };
  } finally {
    await store.close();
  }
}
