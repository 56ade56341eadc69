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

/**
 * Says why the last try failed and leaves the phase alone: nothing is known to be wrong with the repository. Only what is news, as
 * above.
 */
export async function writeTrouble(ports: RepositoryPorts, subject: RepositorySubject, reason: string): Promise<void> {
  const { key, repository } = subject;
  const message = `it could not be opened, and is tried again: ${reason}`;
  const { phase = 'New', message: before } = repository.status ?? {};
  if (before === message) return;
  ports.log.warn({ repository: key.name, phase, reason }, 'the repository could not be opened just now');
  await patchRepository(ports, key, { status: { message } });
}

export async function patchRepository(ports: RepositoryPorts, key: ObjectKey, body: unknown): Promise<void> {
  try {
    await ports.kube.patch(backupRepositoryType, key, { type: 'merge', body });
  } catch (error) {
    // Deleted meanwhile: the watch reports it, and no result is needed.
    if (!isNotFound(error)) throw error;
  }
}
