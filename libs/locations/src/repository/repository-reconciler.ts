import {
  type BackupRepository,
  type BackupRepositoryStatus,
  type BackupStorageLocation,
  backupRepositoryType,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
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
import { locationFingerprint, passwordVersion, placeFingerprint, secretLookMs } from '../fingerprint.ts';
import { decideRepository, notReadyAgainMs, openedStatus } from './decide-repository.ts';
import { ensureRepositoryPassword } from './ensure-password.ts';
import type { OpenedRepository } from './open-repository.ts';

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
  clock: Clock;
  random: Random;
  log: Logger;
}

/** What this process knows of a repository beside its status; lost on a restart without harm. */
interface Memory {
  /** `placeFingerprint` of the location at the last success. */
  opened?: string;
  /** The last try: when, and of what. */
  tried?: { atMs: number; of: string };
}

/** Brings BackupRepositories to Ready, or says in their status why they are not (api.md section 7). */
export function repositoryReconciler(ports: RepositoryReconcilerPorts): Reconciler {
  const memories = new Map<string, Memory>();
  return {
    reconcile: async (key, signal) => {
      const repository = ports.getRepository(key);
      if (repository === undefined || repository.metadata.deletionTimestamp !== undefined) {
        memories.delete(keyText(key));
        return settled;
      }
      const memory = memories.get(keyText(key)) ?? {};
      memories.set(keyText(key), memory);
      return reconcileOne(ports, { key, repository, memory }, signal);
    },
  };
}

interface Subject {
  key: ObjectKey;
  repository: BackupRepository;
  memory: Memory;
}

async function reconcileOne(ports: RepositoryReconcilerPorts, subject: Subject, signal: AbortSignal): Promise<Outcome> {
  const { key, repository, memory } = subject;
  const namespace = key.namespace ?? '';
  const location = ports.getLocation({ namespace, name: repository.spec.backupStorageLocation });
  const place = location && placeFingerprint(location);
  const ready = repository.status?.phase === 'Ready';
  const of = ready ? '' : await triedOf(ports.kube, { namespace, location }, signal);
  const triedMs = memory.tried?.of === of ? ports.clock.now() - memory.tried.atMs : undefined;
  const step = decideRepository({ repository, place, opened: memory.opened, triedMs });
  switch (step.kind) {
    case 'ignore':
      return settled;
    case 'rest':
      if (place !== undefined) memory.opened ??= place;
      return settled;
    case 'wait':
      return again(Math.min(step.afterMs, secretLookMs), 'the repository is not ready');
    case 'complete':
      // Our own write comes back as a change and goes on from there.
      await patch(ports, key, { spec: { maintenanceFrequency: step.maintenanceFrequency } });
      return settled;
    case 'invalidate':
      delete memory.opened;
      await writeStatus(ports, subject, { phase: 'NotReady', message: step.message });
      return settled;
    case 'open':
      return open(ports, subject, { location, place, of }, signal);
    default:
      return step satisfies never;
  }
}

/** What a try depends on: when any of it changes, the next try is due at once. */
async function triedOf(
  kube: KubeApi,
  { namespace, location }: { namespace: string; location: BackupStorageLocation | undefined },
  signal: AbortSignal,
): Promise<string> {
  const [fingerprint, password] = await Promise.all([
    location === undefined ? 'none' : locationFingerprint(kube, location, signal),
    passwordVersion(kube, namespace, signal),
  ]);
  return `${fingerprint} ${location?.status?.phase} ${password}`;
}

async function open(
  ports: RepositoryReconcilerPorts,
  subject: Subject,
  facts: { location: BackupStorageLocation | undefined; place: string | undefined; of: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const { key, repository, memory } = subject;
  const { location, place } = facts;
  memory.tried = { atMs: ports.clock.now(), of: facts.of };
  try {
    if (location === undefined || place === undefined) throw locationMissing(repository);
    await ensureRepositoryPassword(ports, key.namespace ?? '', signal);
    const opened = await ports.openRepository(repository, location, signal);
    await keepIdentifier(ports, subject, opened);
  } catch (error) {
    signal.throwIfAborted();
    await writeStatus(ports, subject, { phase: 'NotReady', message: describeError(error) });
    // The same message once more is no change, so no watch would bring the key back.
    return again(Math.min(notReadyAgainMs, secretLookMs), 'the repository is not ready');
  }
  memory.opened = place;
  await writeStatus(ports, subject, openedStatus(repository.status, apiTime(ports.clock.now())));
  return settled;
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

async function writeStatus(
  ports: RepositoryReconcilerPorts,
  { key, repository }: Subject,
  status: BackupRepositoryStatus,
): Promise<void> {
  const fields = { repository: key.name, phase: status.phase, reason: status.message };
  if (status.phase === 'Ready') ports.log.info(fields, 'the repository is ready');
  else if (repository.status?.message !== status.message) ports.log.warn(fields, 'the repository is not ready');
  await patch(ports, key, { status });
}

async function patch(ports: RepositoryReconcilerPorts, key: ObjectKey, body: unknown): Promise<void> {
  try {
    await ports.kube.patch(backupRepositoryType, key, { type: 'merge', body });
  } catch (error) {
    // Deleted meanwhile: nobody is left to tell, and the watch says so.
    if (!isNotFound(error)) throw error;
  }
}
