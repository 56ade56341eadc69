import { type BackupRepository, repositoryCredentials } from '@lateen/api-types';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { apiTime, keyText } from '@lateen/kube';
import { again, type Outcome } from '@lateen/kube-runtime';
import { ensureRepositoryPassword } from '@lateen/repository';
import { placeFingerprint, secretsOf } from '@lateen/storage-location';
import { openedStatus } from './decide-repository.ts';
import { failureFate, isNotReadyAfter } from './failure-fate.ts';
import { nextLook } from './next-look.ts';
import type { OpenedRepository } from './open-repository.ts';
import type { PasswordWarning } from './password-warning.ts';
import { retryPauseMs } from './repository-pauses.ts';
import type { RepositoryPorts, RepositorySubject } from './repository-ports.ts';
import { dependsOn } from './repository-view.ts';
import { patchRepository, writeNotReady, writeTrouble } from './write-repository.ts';

/** Opens it, and writes what came of that into its status. */
export async function tryRepository(
  ports: RepositoryPorts,
  subject: RepositorySubject,
  warn: PasswordWarning,
  signal: AbortSignal,
): Promise<Outcome> {
  const { key, repository, location, memory } = subject;
  const namespace = key.namespace ?? '';
  const secrets = location === undefined ? [] : secretsOf(location);
  ports.looks.use(keyText(key), [{ namespace, name: repositoryCredentials.name }, ...secrets]);
  try {
    if (location === undefined) throw locationMissing(repository);
    warn(await ensureRepositoryPassword(ports, namespace, signal));
    const opened = await ports.openRepository(repository, location, signal);
    await keepIdentifier(ports, subject, opened);
  } catch (error) {
    signal.throwIfAborted();
    return failedTry(ports, subject, error);
  }
  memory.opened = placeFingerprint(location);
  memory.openedAtMs = ports.clock.monotonicMs();
  memory.gone = undefined;
  memory.tried = undefined;
  memory.unproven = false;
  // What a look has found before it opened, whatever it was, opens it.
  memory.format = memory.formatSeen;
  memory.formatSeen = undefined;
  memory.suspect = false;
  if (repository.status?.phase !== 'Ready' || repository.status.message) {
    ports.log.info({ repository: key.name }, 'the repository is ready');
    await patchRepository(ports, key, { status: openedStatus(repository.status, apiTime(ports.clock.now())) });
  }
  ports.looks.use(keyText(key), []);
  return nextLook(ports, memory);
}

/** Only a known error makes a repository NotReady; any other error is reported and retried. */
async function failedTry(ports: RepositoryPorts, subject: RepositorySubject, error: unknown): Promise<Outcome> {
  const { repository, location, memory } = subject;
  const of = dependsOn(location);
  const fate = failureFate(error);
  const isSame = memory.tried?.of === of && memory.tried.fate === fate;
  const times = (isSame ? (memory.tried?.times ?? 0) : 0) + 1;
  const pauseMs = retryPauseMs(fate, times, ports.random);
  memory.tried = { atMs: ports.clock.monotonicMs(), pauseMs, times, fate, of };
  const isNotReady = isNotReadyAfter(fate, times, repository.status?.phase === 'Ready');
  const reason = describeError(memory.suspect === true ? asSuspect(error) : error);
  await (isNotReady ? writeNotReady : writeTrouble)(ports, subject, reason);
  // The same message once more is no change, so no watch would bring the key back.
  return again(pauseMs, 'the next try');
}

/** The engine calls its own format damaged, or the password wrong: it decrypts the one with the other. */
function asSuspect(error: unknown): unknown {
  if (!isAppError(error, 'REPOSITORY_PASSWORD_WRONG')) return error;
  return new AppError(
    'REPOSITORY_CORRUPTED',
    `the object that opens the repository (kopia.repository; restic: config) has changed, and ${error.message}`,
    {
      cause: error,
      nextStep:
        'If a change of the password was interrupted, finish it with lateen repo change-password. Otherwise the object was damaged or ' +
        'replaced: restore it from an earlier version or a copy of the bucket.',
    },
  );
}

/** Written before the status says Ready, so that clients that wait for Ready find the identifier. */
async function keepIdentifier(
  ports: RepositoryPorts,
  { key, repository }: RepositorySubject,
  { resticIdentifier }: OpenedRepository,
): Promise<void> {
  if (resticIdentifier === undefined || repository.spec.resticIdentifier === resticIdentifier) return;
  await patchRepository(ports, key, { spec: { resticIdentifier } });
}

/** Why a repository whose location does not exist cannot be opened. */
function locationMissing(repository: BackupRepository): AppError {
  const { namespace } = repository.metadata;
  const { backupStorageLocation } = repository.spec;
  return new AppError(
    'LOCATION_NOT_FOUND',
    `BackupStorageLocation ${namespace}/${backupStorageLocation} does not exist`,
    {
      retry: 'later',
      nextStep: 'Create it, or delete this BackupRepository.',
    },
  );
}
