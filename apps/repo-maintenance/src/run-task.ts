import { AppError, describeError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { type OperationResults, type RepositoryOperation, readForgetRequests } from '@lateen/maintenance';
import type { RepositoryTarget } from '@lateen/repository';
import {
  checkRepository,
  dueMode,
  forgetSnapshots,
  fullInterval,
  type MaintenanceMode,
  maintainRepository,
  type OperationProgress,
  type ReadStoredData,
  type RepositorySession,
  readSchedule,
  repositoryUsage,
  unlockRepository,
  type VerifyStoredSnapshot,
  verifySnapshot,
} from '@lateen/repository/operations';
import { deleteOrphanedManifests } from '@lateen/uploader';
import { changeRepositoryPassword } from './change-password.ts';
import type { TaskFlags } from './flags.ts';
import { type FoundRepository, openSession, type SessionPorts } from './open-session.ts';

export interface TaskPorts extends SessionPorts {
  clock: Clock;
  log: Logger;
  /** Reads what a kopia repository stores, without the engine. */
  readStoredData?: ((target: RepositoryTarget) => ReadStoredData) | undefined;
  /** Reads one snapshot of a kopia repository, without the engine. */
  readSnapshot?: ((target: RepositoryTarget) => VerifyStoredSnapshot) | undefined;
  onProgress(progress: OperationProgress): void;
}

/** Tasks that write to the repository; those of the others a read-only location allows. */
const writing: readonly RepositoryOperation[] = ['maintain', 'unlock', 'change-password', 'forget'];

/** Does the task. @throws REPOSITORY_READ_ONLY, and what the operations throw; the signal's reason on abort */
export async function runTask(
  ports: TaskPorts,
  flags: TaskFlags,
  found: FoundRepository,
  signal: AbortSignal,
): Promise<OperationResults[RepositoryOperation]> {
  const { operation } = flags;
  if (found.target.location.readOnly && writing.includes(operation)) {
    throw new AppError('REPOSITORY_READ_ONLY', `${operation}: the BackupStorageLocation is read-only`, {
      nextStep: 'Set its spec.accessMode to ReadWrite first, if no other cluster writes there.',
    });
  }
  const session = await openSession(ports, found);
  try {
    return await perform(ports, { flags, found, session }, signal);
  } finally {
    await session.close();
  }
}

interface Task {
  flags: TaskFlags;
  found: FoundRepository;
  session: RepositorySession;
}

function perform(ports: TaskPorts, task: Task, signal: AbortSignal): Promise<OperationResults[RepositoryOperation]> {
  const { flags, session } = task;
  const options = { signal, onProgress: ports.onProgress };
  switch (flags.operation) {
    case 'maintain':
      return maintain(ports, task, signal);
    case 'check':
      return checkRepository(session, {
        ...options,
        readDataPercent: flags.readDataPercent,
        readStoredData: ports.readStoredData?.(task.found.target),
      });
    case 'usage':
      return repositoryUsage(session, options);
    case 'unlock':
      return unlockRepository(session, options);
    case 'change-password':
      return changeRepositoryPassword(ports, { ...task, newPasswordKey: flags.newPasswordKey }, signal);
    case 'forget':
      return forget(ports, task, signal);
    case 'verify':
      return verifySnapshot(session, {
        ...options,
        snapshotID: flags.snapshotID ?? '',
        readDataPercent: flags.readDataPercent,
        volumePath: flags.volumePath,
        readSnapshot: ports.readSnapshot?.(task.found.target),
      });
    default:
      return flags.operation satisfies never;
  }
}

/** The manifests that Lateen keeps beside snapshots first: what they held is then freed with the rest. */
async function maintain(
  ports: TaskPorts,
  { flags, found, session }: Task,
  signal: AbortSignal,
): Promise<OperationResults['maintain']> {
  const mode = flags.mode === 'auto' ? await modeDue(session, ports.clock, signal) : flags.mode;
  if (mode === undefined) return { engine: session.engine };
  const orphans = session.engine === 'kopia' ? await withoutOrphans(ports, session, signal) : undefined;
  const result = await maintainRepository(session, {
    mode,
    fullIntervalMs: fullInterval(found.repository.spec.repositoryConfig),
    onProgress: ports.onProgress,
    signal,
  });
  return { ...result, ...(orphans === undefined ? {} : { orphans }) };
}

async function forget(
  { kube, namespace, onProgress }: TaskPorts,
  { flags, found, session }: Task,
  signal: AbortSignal,
): Promise<OperationResults['forget']> {
  const { requests } = flags;
  const repositoryName = found.repository.metadata.name ?? '';
  const snapshotIDs = await readForgetRequests(kube, { namespace, repositoryName, requests }, signal);
  return await forgetSnapshots(session, { snapshotIDs, onProgress, signal });
}

/** kopia's own schedule; restic has none, and a prune does all there is to do. */
async function modeDue(
  session: RepositorySession,
  clock: Clock,
  signal: AbortSignal,
): Promise<MaintenanceMode | undefined> {
  return session.engine === 'kopia' ? dueMode(await readSchedule(session, signal), clock.now()) : 'full';
}

/** Leftovers take little space and do no harm, so an error here never stops maintenance. */
async function withoutOrphans(
  { clock, log }: TaskPorts,
  session: Extract<RepositorySession, { engine: 'kopia' }>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await deleteOrphanedManifests(session, clock, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ reason: describeError(error) }, 'orphaned attribute manifests could not be deleted');
    return undefined;
  }
}
