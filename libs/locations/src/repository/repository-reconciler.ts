import { keyText } from '@lateen/kube';
import { again, eventSubject, type Outcome, type Reconciler, settled } from '@lateen/kube-runtime';
import { placeFingerprint } from '@lateen/storage-location';
import { decideRepository, goneMessage } from './decide-repository.ts';
import { nextLook } from './next-look.ts';
import { type PasswordWarning, passwordWarning } from './password-warning.ts';
import type { RepositoryMemory } from './repository-memory.ts';
import type { RepositoryPorts, RepositorySubject } from './repository-ports.ts';
import { viewOf } from './repository-view.ts';
import { tryRepository } from './try-repository.ts';
import { patchRepository, writeNotReady } from './write-repository.ts';

/** Brings BackupRepositories to Ready, or says in their status why they are not (api.md section 7). */
export function repositoryReconciler(ports: RepositoryPorts): Reconciler {
  const warn = passwordWarning(ports);
  return {
    reconcile: async (key, signal) => {
      const repository = ports.getRepository(key);
      if (repository === undefined || repository.metadata.deletionTimestamp !== undefined) {
        ports.memories.forget(keyText(key));
        ports.looks.use(keyText(key), []);
        return settled;
      }
      const location = ports.getLocation({ namespace: key.namespace, name: repository.spec.backupStorageLocation });
      const subject = { key, repository, location, memory: ports.memories.of(keyText(key)) };
      return reconcileOne(ports, subject, warn, signal);
    },
  };
}

async function reconcileOne(
  ports: RepositoryPorts,
  subject: RepositorySubject,
  warn: PasswordWarning,
  signal: AbortSignal,
): Promise<Outcome> {
  const { key, location, memory } = subject;
  const step = decideRepository(await viewOf(ports, subject, signal));
  if (step.kind === 'ignore' || step.kind === 'rest') ports.looks.use(keyText(key), []);
  switch (step.kind) {
    case 'ignore':
      return settled;
    case 'rest':
      if (location !== undefined) memory.opened ??= placeFingerprint(location);
      return nextLook(ports, memory);
    case 'wait':
      return again(step.afterMs, 'the next try');
    case 'complete':
      // Our own write queues the key again, which continues from there.
      await patchRepository(ports, key, { spec: step.spec });
      return settled;
    case 'invalidate':
      forgetPlace(memory);
      if (step.message === goneMessage) tellGone(ports, subject);
      await writeNotReady(ports, subject, step.message);
      return settled;
    case 'blocked':
      // Its end is a change of the location, which wakes the key.
      await writeNotReady(ports, subject, step.message);
      return nextLook(ports, memory);
    case 'open':
      return tryRepository(ports, subject, warn, signal);
    default:
      return step satisfies never;
  }
}

/** What was known holds for a place in which the repository is no more. */
function forgetPlace(memory: RepositoryMemory): void {
  delete memory.opened;
  memory.tried = undefined;
  memory.format = undefined;
  memory.formatSeen = undefined;
  memory.suspect = false;
}

function tellGone({ tell }: RepositoryPorts, { repository, location, memory }: RepositorySubject): void {
  memory.gone = location && placeFingerprint(location);
  tell(eventSubject(repository), 'RepositoryGone', goneMessage, 'Warning');
}
