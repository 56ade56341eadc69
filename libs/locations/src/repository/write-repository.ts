import { backupRepositoryType } from '@lateen/api-types';
import { isNotFound, type ObjectKey } from '@lateen/kube';
import type { RepositoryPorts, RepositorySubject } from './repository-ports.ts';

/** Only what is news: thousands of repositories of one location that is away must not be written again and again. */
export async function writeNotReady(
  ports: RepositoryPorts,
  subject: RepositorySubject,
  message: string,
): Promise<void> {
  const { key, repository } = subject;
  const { phase, message: before } = repository.status ?? {};
  if (phase === 'NotReady' && before === message) return;
  ports.log.warn({ repository: key.name, phase: 'NotReady', reason: message }, 'the repository is not ready');
  await patchRepository(ports, key, { status: { phase: 'NotReady', message } });
}

export async function patchRepository(ports: RepositoryPorts, key: ObjectKey, body: unknown): Promise<void> {
  try {
    await ports.kube.patch(backupRepositoryType, key, { type: 'merge', body });
  } catch (error) {
    // Deleted meanwhile: nobody is left to tell, and the watch says so.
    if (!isNotFound(error)) throw error;
  }
}
