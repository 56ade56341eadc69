import {
  type Backup,
  type DataUpload,
  dataUploadType,
  getValidName,
  labels,
  type PodVolumeBackup,
  podVolumeBackupType,
  type ResourceType,
} from '@lateen/api-types';
import { type Clock, eachAtOnce, type Logger, orAborted, type Random } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf, listAll, readObject, retryOnConflict } from '@lateen/kube';
import { type Informer, informer, waitForObject } from '@lateen/kube-runtime';
import {
  askToForget,
  type StoredSnapshot,
  snapshotOfPodVolume,
  snapshotOfUpload,
  snapshotsByRepository,
} from '@lateen/maintenance';
import { findBackupRepository } from '@lateen/repository';

export interface EndMovementsPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  /** Namespace of the installation. */
  namespace: string;
  log: Logger;
}

type Movement = DataUpload | PodVolumeBackup;

/** How to read and end one kind of movements of a backup. */
export interface BackupMovements<T extends Movement> {
  type: ResourceType<T>;
  snapshotOf(movement: T): StoredSnapshot;
}

export const dataUploads: BackupMovements<DataUpload> = { type: dataUploadType, snapshotOf: snapshotOfUpload };

export const podVolumeBackups: BackupMovements<PodVolumeBackup> = {
  type: podVolumeBackupType,
  snapshotOf: snapshotOfPodVolume,
};

/** How many movements are ended at the same time, and how long to wait for their end. */
const limits = { atOnce: 16, endMs: 600_000 } as const;

/**
 * Ends the movements of a backup that have not stored anything yet. Deleting a movement makes its node-agent end it and remove what it has
 * created; then the movement is gone. The watch starts before the deletion: when a movement stores something all the same while it is being
 * deleted, a request to forget that snapshot is created at once; otherwise the snapshot is left to {@link forgetMovements}.
 */
export async function endMovements<T extends Movement>(
  ports: EndMovementsPorts,
  kind: BackupMovements<T>,
  backup: Backup,
  signal: AbortSignal,
): Promise<void> {
  const running = (await movementsOf(ports, kind, backup, signal)).filter((movement) => !hasStored(movement));
  if (running.length === 0) return;
  const stop = new AbortController();
  const { kube: api, clock, random, log, namespace } = ports;
  const labelSelector = labelOf(backup);
  const movements = informer({ api, clock, random, log, namespace, type: kind.type, labelSelector });
  const watching = movements.run(AbortSignal.any([signal, stop.signal]));
  try {
    await endWatched(ports, kind, backup, { running, movements }, signal);
  } finally {
    stop.abort(new Error('the movements have ended'));
    await watching;
  }
}

async function endWatched<T extends Movement>(
  ports: EndMovementsPorts,
  kind: BackupMovements<T>,
  backup: Backup,
  { running, movements }: { running: readonly T[]; movements: Informer<T> },
  signal: AbortSignal,
): Promise<void> {
  const either = AbortSignal.any([signal, ports.clock.deadline(limits.endMs)]);
  await movements.synced(either);
  const late = new Map<string | undefined, T>();
  let changed = Promise.withResolvers<void>();
  movements.onChange(({ type, object }) => {
    const isGoing = type === 'deleted' || object.metadata.deletionTimestamp !== undefined;
    if (isGoing && hasStored(object)) late.set(object.metadata.uid, object);
    changed.resolve();
  });
  const asked = new Set(running.map(({ metadata }) => metadata.uid));
  const isRunning = (movement: T) => asked.has(movement.metadata.uid) && !hasStored(movement);
  await eachAtOnce(running, limits.atOnce, (movement) => deleteUnlessStored(ports, kind, movement, signal));
  for (;;) {
    changed = Promise.withResolvers();
    const stored = [...late.values()];
    late.clear();
    if (stored.length > 0) await letForget(ports, kind, backup, stored, signal);
    else if (!movements.list().some(isRunning)) return;
    else await orAborted(changed.promise, either);
  }
}

/**
 * Removes the snapshots of a backup's movements from the repositories, and deletes the movements. The requests to forget are written
 * first, because only the movements know the snapshots; the requests do not need the Backup any more (docs/adr/0032).
 */
export async function forgetMovements<T extends Movement>(
  ports: EndMovementsPorts,
  kind: BackupMovements<T>,
  backup: Backup,
  signal: AbortSignal,
): Promise<void> {
  const stored = (await movementsOf(ports, kind, backup, signal)).filter(hasStored);
  if (stored.length === 0) return;
  await letForget(ports, kind, backup, stored, signal);
  const either = AbortSignal.any([signal, ports.clock.deadline(limits.endMs)]);
  await eachAtOnce(stored, limits.atOnce, (movement) => remove(ports, kind, movement, {}, signal));
  await eachAtOnce(stored, limits.atOnce, (movement) => untilGone(ports, kind, movement, either));
}

const hasStored = ({ status }: Movement): boolean => Boolean(status?.snapshotID);

const labelOf = ({ metadata }: Backup): string => `${labels.backupUid}=${getValidName(metadata.uid ?? '')}`;

async function movementsOf<T extends Movement>(
  { kube, namespace }: EndMovementsPorts,
  { type }: BackupMovements<T>,
  backup: Backup,
  signal: AbortSignal,
): Promise<T[]> {
  const labelSelector = labelOf(backup);
  return (await listAll(kube, type, { namespace, labelSelector, signal })).items;
}

/** A movement that has stored something has its BackupRepository: none is created in order to forget. */
async function letForget<T extends Movement>(
  { kube, namespace, log }: EndMovementsPorts,
  { snapshotOf }: BackupMovements<T>,
  backup: Backup,
  movements: readonly T[],
  signal: AbortSignal,
): Promise<void> {
  for (const { engine, volumeNamespace, snapshotIDs } of snapshotsByRepository(movements.map(snapshotOf))) {
    const key = { namespace, volumeNamespace, location: backup.spec.storageLocation ?? '', type: engine };
    const repository = await findBackupRepository(kube, key, { signal });
    if (repository === undefined) {
      const { location } = key;
      log.warn(
        { backup: backup.metadata.name, location, volumeNamespace, engine, snapshotIDs },
        'snapshots of a canceled or failed backup stay in the repository: their BackupRepository does not exist any more',
      );
      continue;
    }
    const { name: repositoryName = '' } = repository.metadata;
    await askToForget(kube, { namespace, repositoryName, snapshotIDs, backup, owned: false }, signal);
  }
}

/** Guarded by the resourceVersion that was read: a movement that has stored something must not be deleted before the request is written. */
async function deleteUnlessStored<T extends Movement>(
  ports: EndMovementsPorts,
  kind: BackupMovements<T>,
  movement: T,
  signal: AbortSignal,
): Promise<void> {
  await retryOnConflict(async () => {
    const now = await readObject(ports.kube, kind.type, keyOf(movement), signal);
    if (now === undefined || !isSame(now, movement) || hasStored(now)) return;
    const { resourceVersion } = now.metadata;
    await remove(ports, kind, now, resourceVersion === undefined ? {} : { resourceVersion }, signal);
  });
}

async function remove<T extends Movement>(
  { kube }: EndMovementsPorts,
  { type }: BackupMovements<T>,
  movement: T,
  version: { resourceVersion?: string },
  signal: AbortSignal,
): Promise<void> {
  const { uid } = movement.metadata;
  const preconditions = { ...version, ...(uid === undefined ? {} : { uid }) };
  await kube.delete(type, keyOf(movement), { signal, preconditions }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

async function untilGone<T extends Movement>(
  { kube, clock }: EndMovementsPorts,
  { type }: BackupMovements<T>,
  movement: T,
  signal: AbortSignal,
): Promise<void> {
  const until = (now: T | undefined) => (isSame(now, movement) ? undefined : true);
  await waitForObject({ api: kube, type, key: keyOf(movement), until, clock, signal });
}

const isSame = (now: Movement | undefined, { metadata }: Movement): boolean => now?.metadata.uid === metadata.uid;
