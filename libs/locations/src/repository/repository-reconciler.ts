import {
  type BackupRepository,
  type BackupStorageLocation,
  backupRepositoryType,
  repositoryCredentials,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import {
  again,
  apiTime,
  isNotFound,
  type KubeApi,
  keyText,
  type ObjectKey,
  type Outcome,
  type Reconciler,
  settled,
} from '@lateen/kube';
import { secretsOf } from '@lateen/repository';
import { placeFingerprint, specFingerprint } from '../fingerprint.ts';
import type { Tell } from '../location/location-observer.ts';
import type { SecretLooks } from '../secret-looks.ts';
import {
  decideRepository,
  goneMessage,
  isGone,
  isNew,
  notReadyAgainMs,
  openedStatus,
  type RepositoryView,
  recheckMs,
} from './decide-repository.ts';
import { ensureRepositoryPassword } from './ensure-password.ts';
import { eventSubject } from './event-subject.ts';
import { locationMissing } from './location-missing.ts';
import type { OpenedRepository } from './open-repository.ts';
import { type PasswordWarning, passwordWarning } from './password-warning.ts';
import type { RepositoryMemories, RepositoryMemory } from './repository-memory.ts';
import type { Presence } from './repository-presence.ts';

export interface RepositoryReconcilerPorts {
  kube: KubeApi;
  getRepository(key: ObjectKey): BackupRepository | undefined;
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  /** Makes sure that the repository exists and opens. Rejects with the reason why not. */
  openRepository(
    repository: BackupRepository,
    location: BackupStorageLocation,
    signal: AbortSignal,
  ): Promise<OpenedRepository>;
  /** A look into the bucket; nothing older than `sinceMs`, on the monotonic clock, counts for missing. */
  look(
    repository: BackupRepository,
    location: BackupStorageLocation,
    options: { sinceMs: number; signal: AbortSignal },
  ): Promise<Presence>;
  maintenanceFrequency: string;
  /** Of the backup repository ConfigMap, for repositories of that type. */
  repositoryConfig(type: string, signal: AbortSignal): Promise<Record<string, string> | undefined>;
  memories: RepositoryMemories;
  /** Notices corrected Secrets of what does not work. */
  looks: SecretLooks;
  tell: Tell;
  clock: Clock;
  random: Random;
  log: Logger;
}

interface Subject {
  key: ObjectKey;
  repository: BackupRepository;
  location: BackupStorageLocation | undefined;
  memory: RepositoryMemory;
}

/** Brings BackupRepositories to Ready, or says in their status why they are not (api.md section 7). */
export function repositoryReconciler(ports: RepositoryReconcilerPorts): Reconciler {
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
  ports: RepositoryReconcilerPorts,
  subject: Subject,
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
      return again(step.afterMs, 'the repository is not ready');
    case 'complete':
      // Our own write comes back as a change and goes on from there.
      await patch(ports, key, { spec: step.spec });
      return settled;
    case 'invalidate':
      delete memory.opened;
      memory.tried = undefined;
      if (step.message === goneMessage) tellGone(ports, subject);
      await writeNotReady(ports, subject, step.message);
      return settled;
    case 'blocked':
      // Its end is a change of the location, which wakes the key.
      await writeNotReady(ports, subject, step.message);
      return nextLook(ports, memory);
    case 'open':
      return open(ports, subject, warn, signal);
    default:
      return step satisfies never;
  }
}

/** Looks into the bucket for a Ready repository, at its regular look only; and for the configuration of a new one. */
async function viewOf(
  ports: RepositoryReconcilerPorts,
  subject: Subject,
  signal: AbortSignal,
): Promise<RepositoryView> {
  const { repository, location, memory } = subject;
  const phase = repository.status?.phase;
  const { tried } = memory;
  const isCurrent = tried !== undefined && tried.of === dependsOn(location);
  const config = isNew(phase) ? await ports.repositoryConfig(repository.spec.repositoryType ?? '', signal) : undefined;
  const looksInside = (phase === 'Ready' && memory.looked === true) || isGone(repository);
  const sinceMs = memory.openedAtMs ?? Number.NEGATIVE_INFINITY;
  const place = location && placeFingerprint(location);
  return {
    repository,
    location,
    place,
    opened: memory.opened,
    tried: isCurrent ? { ms: ports.clock.now() - tried.atMs, times: tried.times } : undefined,
    defaults: { maintenanceFrequency: ports.maintenanceFrequency, repositoryConfig: config },
    presence:
      looksInside && location?.status?.phase === 'Available'
        ? await ports.look(repository, location, { sinceMs, signal })
        : 'unknown',
    moved: memory.gone !== undefined && memory.gone !== place,
    unproven: memory.unproven === true,
  };
}

/** All at once would be a storm: after a start the first looks come at any time of a round. */
function nextLook({ random }: RepositoryReconcilerPorts, memory: RepositoryMemory): Outcome {
  const part = memory.looked === true ? 0.8 + 0.4 * random.next() : random.next();
  memory.looked = true;
  return again(recheckMs * part, 'the next look');
}

/** What a try depends on beside Secrets: when any of it changes, the next try is due at once. */
const dependsOn = (location: BackupStorageLocation | undefined): string =>
  location === undefined ? 'none' : `${specFingerprint(location)} ${location.status?.phase}`;

async function open(
  ports: RepositoryReconcilerPorts,
  subject: Subject,
  warn: PasswordWarning,
  signal: AbortSignal,
): Promise<Outcome> {
  const { key, repository, location, memory } = subject;
  const namespace = key.namespace ?? '';
  const times = (memory.tried?.of === dependsOn(location) ? memory.tried.times : 0) + 1;
  memory.tried = { atMs: ports.clock.now(), times, of: dependsOn(location) };
  const secrets = location === undefined ? [] : secretsOf(location);
  ports.looks.use(keyText(key), [{ namespace, name: repositoryCredentials.name }, ...secrets]);
  try {
    if (location === undefined) throw locationMissing(repository);
    warn(await ensureRepositoryPassword(ports, namespace, signal));
    const opened = await ports.openRepository(repository, location, signal);
    await keepIdentifier(ports, subject, opened);
  } catch (error) {
    signal.throwIfAborted();
    await writeNotReady(ports, subject, describeError(error));
    // The same message once more is no change, so no watch would bring the key back.
    const pauseMs = Math.min(notReadyAgainMs * 2 ** (times - 1), recheckMs);
    return again(pauseMs * (1 + 0.2 * ports.random.next()), 'the repository is not ready');
  }
  memory.opened = placeFingerprint(location);
  memory.openedAtMs = ports.clock.monotonicMs();
  memory.gone = undefined;
  memory.tried = undefined;
  memory.unproven = false;
  if (repository.status?.phase !== 'Ready') {
    ports.log.info({ repository: key.name }, 'the repository is ready');
    await patch(ports, key, { status: openedStatus(repository.status, apiTime(ports.clock.now())) });
  }
  ports.looks.use(keyText(key), []);
  return nextLook(ports, memory);
}

function tellGone({ tell }: RepositoryReconcilerPorts, { repository, location, memory }: Subject): void {
  memory.gone = location && placeFingerprint(location);
  tell(eventSubject(repository), 'RepositoryGone', goneMessage, 'Warning');
}

/** Before the status says Ready: whoever waits for that finds the identifier there. */
async function keepIdentifier(
  ports: RepositoryReconcilerPorts,
  { key, repository }: Subject,
  { resticIdentifier }: OpenedRepository,
): Promise<void> {
  if (resticIdentifier === undefined || repository.spec.resticIdentifier === resticIdentifier) return;
  await patch(ports, key, { spec: { resticIdentifier } });
}

/** Only what is news: thousands of repositories of one location that is away must not be written again and again. */
async function writeNotReady(ports: RepositoryReconcilerPorts, subject: Subject, message: string): Promise<void> {
  const { key, repository } = subject;
  const { phase, message: before } = repository.status ?? {};
  if (phase === 'NotReady' && before === message) return;
  ports.log.warn({ repository: key.name, phase: 'NotReady', reason: message }, 'the repository is not ready');
  await patch(ports, key, { status: { phase: 'NotReady', message } });
}

async function patch(ports: RepositoryReconcilerPorts, key: ObjectKey, body: unknown): Promise<void> {
  try {
    await ports.kube.patch(backupRepositoryType, key, { type: 'merge', body });
  } catch (error) {
    // Deleted meanwhile: nobody is left to tell, and the watch says so.
    if (!isNotFound(error)) throw error;
  }
}
