import {
  annotations,
  type Backup,
  type BackupRepository,
  type DeleteBackupRequest,
  deleteBackupRequestType,
} from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { describeError, isAppError } from '@lateen/errors';
import { keyOf } from '@lateen/kube';
import { askToForget, type RepositorySnapshots } from '@lateen/maintenance';
import { deleteNativeSnapshots, snapshotsLeftText } from '@lateen/native-snapshots';
import type { ObjectStore } from '@lateen/object-store';
import { findOrCreateBackupRepository, isRepositoryThere } from '@lateen/repository';
import type { StoreLocation } from '@lateen/storage-location';
import { snapshotsOfBackup } from '../forget/snapshots-of-backup.ts';
import type { DeletionPorts } from './deletion-ports.ts';
import { podVolumesOfBackup, uploadsOfBackup } from './objects-of-backup.ts';
import { type PlannedRequest, plannedText } from './planned-request.ts';
import { runDeleteActions } from './run-delete-actions.ts';

export interface PlanInput {
  request: DeleteBackupRequest;
  backup: Backup;
  /** Name of the location. */
  location: string;
  objects: ObjectStore;
  resolved: StoreLocation;
  store: BackupStore;
}

export type Plan = { planned: PlannedRequest[] } | { errors: string[] };

/**
 * Does what needs the files of the backup, and writes down what is to be forgotten, before any of them is deleted: native snapshots, delete
 * item actions, and a request to each repository that holds a snapshot. Repeated until it is written into the DeleteBackupRequest that it was done.
 * @throws KUBE_…, what the store throws
 */
export async function planDeletion(ports: DeletionPorts, input: PlanInput, signal: AbortSignal): Promise<Plan> {
  const { backup, store, request } = input;
  const name = backup.metadata.name ?? '';
  const native = (await unlessBroken(ports, name, store.getVolumeSnapshots(name, { signal }))) ?? [];
  const left = await deleteNativeSnapshots(ports, native, signal);
  if (left.length > 0) return { errors: snapshotsLeftText(left) };
  const archived = await runDeleteActions(ports, input, signal).catch((error: unknown) => {
    if (!isAppError(error, 'DELETE_ACTION_FAILED')) throw error;
    return describeError(error);
  });
  if (typeof archived === 'string') return { errors: [`error invoking delete item actions: ${archived}`] };
  const snapshots = snapshotsOfBackup({
    volumes: (await unlessBroken(ports, name, store.getVolumeInfo(name, { signal }))) ?? [],
    uploads: [...archived, ...(await uploadsOfBackup(ports.kube, backup, signal))],
    podVolumes: [
      ...((await unlessBroken(ports, name, store.getPodVolumeBackups(name, { signal }))) ?? []),
      ...(await podVolumesOfBackup(ports.kube, backup, signal)),
    ],
  });
  const planned: PlannedRequest[] = [];
  for (const each of snapshots) {
    const repository = await repositoryOf(ports, input, each, signal);
    if (repository === undefined) continue;
    const { name: repositoryName = '' } = repository.metadata;
    const ask = { namespace: ports.namespace, repositoryName, snapshotIDs: each.snapshotIDs, backup, owned: true };
    planned.push({ request: await askToForget(ports.kube, ask, signal), repository: repositoryName });
  }
  const body = {
    metadata: { uid: request.metadata.uid, annotations: { [annotations.forgetRequests]: plannedText(planned) } },
  };
  await ports.kube.patch(deleteBackupRequestType, keyOf(request), { type: 'merge', body }, { signal });
  return { planned };
}

/** A file that cannot be read says nothing; the other sources do. */
async function unlessBroken<T>({ log }: DeletionPorts, backup: string, reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!isAppError(error, 'BACKUP_FILE_BROKEN') && !isAppError(error, 'BACKUP_FILE_TOO_LARGE')) throw error;
    log.warn({ backup, reason: describeError(error) }, 'a file of a backup that is deleted cannot be read');
    return undefined;
  }
}

/** Undefined when there is none in the bucket: what it held is gone with it. */
async function repositoryOf(
  { kube, namespace }: DeletionPorts,
  { objects, resolved, location }: PlanInput,
  { engine, volumeNamespace }: RepositorySnapshots,
  signal: AbortSignal,
): Promise<BackupRepository | undefined> {
  const key = { namespace, volumeNamespace, location, type: engine };
  // An engine cannot reach it, so no repository was ever made there.
  if (resolved.provider === 'plugin') return undefined;
  const there = await isRepositoryThere(objects, { location: resolved, engine, volumeNamespace }, signal);
  return there ? await findOrCreateBackupRepository(kube, key, { signal }) : undefined;
}
