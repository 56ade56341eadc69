import type { BackupRepository, BackupStorageLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import {
  cacheLimitMB,
  initialiseRepository,
  readLocation,
  readRepositoryPassword,
  type SessionOptions,
} from '@lateen/repository';
import type { OpenStore } from '../open-store.ts';

export interface OpenRepositoryPorts {
  kube: KubeApi;
  openStore: OpenStore;
  session: SessionOptions;
  clock: Clock;
}

/** Making a repository takes seconds; a store that answers so slowly is no store to back up to. */
export const openTimeoutMs = 300_000;

/** Makes sure that the repository exists and opens, by its location and password as they are now. @throws the reason */
export async function openRepository(
  ports: OpenRepositoryPorts,
  repository: BackupRepository,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<void> {
  const timeout = ports.clock.deadline(openTimeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const namespace = repository.metadata.namespace ?? '';
  try {
    const resolved = await readLocation(ports.kube, location, { signal: either });
    const password = await readRepositoryPassword(ports.kube, namespace, { signal: either });
    const store = ports.openStore(resolved);
    try {
      const target = {
        location: resolved,
        volumeNamespace: repository.spec.volumeNamespace,
        password,
        uid: repository.metadata.uid ?? '',
        cacheLimitMB: cacheLimitMB(repository.spec.repositoryConfig),
      };
      await initialiseRepository(target, { store, session: ports.session, signal: either });
    } finally {
      await store.close();
    }
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new AppError('REPOSITORY_TIMEOUT', `the repository did not open within ${openTimeoutMs / 1000} s`, {
      retry: 'later',
      nextStep: 'Check the object store and the network to it.',
    });
  }
}
