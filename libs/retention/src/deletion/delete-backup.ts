import {
  annotations,
  type Backup,
  type BackupStorageLocation,
  backupType,
  type DeleteBackupRequest,
  dataUploadType,
  deleteBackupRequestType,
  type Restore,
  restoreType,
} from '@lateen/api-types';
import { type BackupFile, backupKey, backupStore } from '@lateen/backup-store';
import { isAppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { again, type Outcome, waiting } from '@lateen/kube-runtime';
import type { ObjectStore } from '@lateen/object-store';
import { withStore } from '@lateen/storage-location';
import { neverStored } from '../use/backup-use.ts';
import type { DeletionPorts } from './deletion-ports.ts';
import { dropRequests, forgetStep } from './forget-step.ts';
import { deleteObject, uploadsOfBackup } from './objects-of-backup.ts';
import { planDeletion } from './plan-deletion.ts';
import { plannedRequests } from './planned-request.ts';

export interface DeletionSubject {
  request: DeleteBackupRequest;
  backup: Backup;
  location: BackupStorageLocation | undefined;
}

export type DeletionResult =
  /** Something else has to happen first; the request comes again. */
  { kind: 'open'; outcome: Outcome } | { kind: 'failed'; errors: string[] } | { kind: 'deleted' };

/** Restores are given so long to be gone (object-store-layout.md section 9). */
const restoresGoneMs = 60_000;

/**
 * One pass over all data of a backup: snapshots in repositories and in the cluster, files, Restores, at last the Backup itself. Each
 * step checks whether it is done, so a process after a crash begins at the first step that is not. Nothing is written to
 * the bucket.
 * @throws KUBE_…, errors of the store: the pass is repeated
 */
export async function deleteBackup(
  ports: DeletionPorts,
  subject: DeletionSubject,
  signal: AbortSignal,
): Promise<DeletionResult> {
  const { backup, location } = subject;
  if (!neverStored(backup) && location !== undefined) {
    const result = await deleteStored(ports, { ...subject, location }, signal);
    if (result.kind !== 'deleted') return result;
  }
  for (const upload of await uploadsOfBackup(ports.kube, backup, signal))
    await deleteObject(ports.kube, dataUploadType, upload, signal);
  const restores = await deleteRestores(ports, backup, signal);
  if (restores !== undefined) return restores;
  await deleteObject(ports.kube, backupType, backup, signal);
  return { kind: 'deleted' };
}

async function deleteStored(
  ports: DeletionPorts,
  { request, backup, location }: DeletionSubject & { location: BackupStorageLocation },
  signal: AbortSignal,
): Promise<DeletionResult> {
  return await withStore(ports, location, { signal, customerKey: true }, async (objects, resolved) => {
    const { prefix } = resolved;
    const store = backupStore(objects, prefix);
    const name = backup.metadata.name ?? '';
    if (!(await isSame(store, backup, signal))) {
      ports.log.warn({ backup: name }, 'the location has another backup of that name: its files are left alone');
      return { kind: 'deleted' };
    }
    const input = { request, backup, location: location.metadata.name ?? '', objects, resolved, store };
    const known = plannedRequests(request);
    const plan = known === undefined ? await planDeletion(ports, input, signal) : { planned: known };
    if ('errors' in plan) return { kind: 'failed', errors: plan.errors };
    const forgotten = await forget(
      ports,
      { request, planned: plan.planned, free: () => freeFiles(objects, prefix, name, signal) },
      signal,
    );
    if (forgotten.kind !== 'deleted') return forgotten;
    await store.deleteBackup(name, { signal });
    await dropRequests(ports, plan.planned, signal);
    return { kind: 'deleted' };
  });
}

/** False when the files under the name are those of another backup, made elsewhere or after this one. */
async function isSame(
  store: ReturnType<typeof backupStore>,
  { metadata, status }: Backup,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const stored = await store.getBackup(metadata.name ?? '', { signal });
    const startedAt = stored?.status?.startTimestamp;
    return !startedAt || startedAt === status?.startTimestamp;
  } catch (error) {
    // Files that cannot be read belong to no other backup.
    if (isAppError(error, 'BACKUP_FILE_BROKEN') || isAppError(error, 'BACKUP_FILE_TOO_LARGE')) return true;
    throw error;
  }
}

async function forget(
  ports: DeletionPorts,
  {
    request,
    planned,
    free,
  }: {
    request: DeleteBackupRequest;
    planned: NonNullable<ReturnType<typeof plannedRequests>>;
    free: () => Promise<void>;
  },
  signal: AbortSignal,
): Promise<DeletionResult> {
  const freedAt = request.metadata.annotations?.[annotations.filesFreed];
  const sinceMs = Date.parse(freedAt ?? request.metadata.creationTimestamp ?? '') || 0;
  const state = await forgetStep(ports, { request, planned }, sinceMs, signal);
  switch (state.kind) {
    case 'done':
      return { kind: 'deleted' };
    case 'open':
      return { kind: 'open', outcome: waiting('repositories to forget snapshots') };
    case 'failed': {
      if (!state.isFull || freedAt !== undefined) return { kind: 'failed', errors: state.errors };
      await free();
      const stamp = new Date(ports.clock.now() + 1_000).toISOString();
      const body = { metadata: { uid: request.metadata.uid, annotations: { [annotations.filesFreed]: stamp } } };
      await ports.kube.patch(deleteBackupRequestType, keyOf(request), { type: 'merge', body }, { signal });
      return { kind: 'open', outcome: again(1_000, 'another attempt now that there is room') };
    }
    default:
      return state satisfies never;
  }
}

/** What the rest of the deletion does not need; what tells that there is a backup, and of which volumes, stays. */
const spare: readonly BackupFile[] = ['archive', 'log', 'itemOutcomes', 'resourceList', 'results', 'itemOperations'];

async function freeFiles(objects: ObjectStore, prefix: string, name: string, signal: AbortSignal): Promise<void> {
  for (const file of spare) await objects.delete(backupKey(prefix, name, file), { signal });
}

/** Undefined when there are none any more. */
async function deleteRestores(
  ports: DeletionPorts,
  backup: Backup,
  signal: AbortSignal,
): Promise<DeletionResult | undefined> {
  const left = ports.restores().filter(({ spec }) => spec.backupName === backup.metadata.name);
  if (left.length === 0) return undefined;
  for (const restore of left)
    if (restore.metadata.deletionTimestamp === undefined) await deleteObject(ports.kube, restoreType, restore, signal);
  const lateMs = Math.max(...left.map((restore) => goingMs(restore, ports.clock.now())));
  if (lateMs <= restoresGoneMs)
    return { kind: 'open', outcome: again(restoresGoneMs - lateMs + 1, 'Restores to be gone') };
  const names = left.map(({ metadata }) => metadata.name).join(', ');
  return {
    kind: 'failed',
    errors: [`Restores of the backup are not gone after ${durationText(restoresGoneMs)}: ${names}`],
  };
}

function goingMs({ metadata }: Restore, nowMs: number): number {
  return metadata.deletionTimestamp === undefined ? 0 : Math.max(nowMs - Date.parse(metadata.deletionTimestamp), 0);
}
