import {
  annotations,
  type Backup,
  backupType,
  type OwnerReference,
  type PodVolumeBackup,
  podVolumeBackupType,
  scheduleType,
} from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { describeError, isAppError } from '@lateen/errors';
import { eachAtOnce } from '@lateen/kernel';
import { isAlreadyExists, isNotFound, keyOf, readObject } from '@lateen/kube';
import { withoutSignatures } from '@lateen/object-store';
import { isOver, isSynced, syncedBackup, syncedPodVolumeBackup } from '../decide/synced-backup.ts';
import type { LocationMemory } from './location-memory.ts';
import type { SyncPorts } from './sync-ports.ts';

/** Backups of one location that are read at the same time. */
const backupsAtOnce = 8;

/** Longest wait for the files of one. */
const readTimeoutMs = 60_000;

export interface AddInput {
  location: string;
  store: BackupStore;
  memory: LocationMemory;
  listed: ReadonlySet<string>;
}

export interface Added {
  names: string[];
  /** What cannot be read or made, and was not told yet: `name: why`. */
  broken: string[];
}

/** Makes the Backups that the bucket has and the cluster does not. What one of them meets harms no other. @throws KUBE_… */
export async function addBackups(ports: SyncPorts, input: AddInput, signal: AbortSignal): Promise<Added> {
  const { memory, listed } = input;
  memory.later.keep(listed);
  const added: Added = { names: [], broken: [] };
  const nowMs = ports.clock.monotonicMs();
  const names = [...listed].filter(
    (name) => ports.getBackup({ namespace: ports.namespace, name }) === undefined && memory.later.isDue(name, nowMs),
  );
  await eachAtOnce(names, backupsAtOnce, async (name) => {
    signal.throwIfAborted();
    try {
      if (await addOne(ports, input, name, signal)) added.names.push(name);
    } catch (error) {
      signal.throwIfAborted();
      if (isOfApiServer(error)) throw error;
      const reason = withoutSignatures(describeError(error));
      const isBroken = isAppError(error) && brokenCodes.includes(error.code);
      const isNews = memory.later.note(name, isBroken ? 'broken' : 'unfinished', ports.clock.monotonicMs());
      if (!isNews) return;
      ports.log.warn({ location: input.location, backup: name, reason }, 'a backup of the location cannot be read');
      if (isBroken) added.broken.push(`${name}: ${reason}`);
    }
  });
  return added;
}

/** Reading again does not help with these. */
const brokenCodes: readonly string[] = [
  'BACKUP_FILE_BROKEN',
  'BACKUP_FILE_TOO_LARGE',
  'BACKUP_NAME_INVALID',
  'OBJECT_KEY_INVALID',
  'KUBE_INVALID',
  'KUBE_BAD_REQUEST',
];

const isOfApiServer = (error: unknown): boolean =>
  isAppError(error) && error.code.startsWith('KUBE_') && !brokenCodes.includes(error.code);

async function addOne(ports: SyncPorts, input: AddInput, name: string, signal: AbortSignal): Promise<boolean> {
  const { kube, namespace, clock, log } = ports;
  const { store, location, memory } = input;
  const reading = { signal: AbortSignal.any([signal, clock.deadline(readTimeoutMs)]) };
  const stored = await store.getBackup(name, reading);
  if (stored === undefined || !isSynced(stored, clock.now())) {
    memory.later.note(name, 'unfinished', clock.monotonicMs());
    return false;
  }
  const podVolumes = await store.getPodVolumeBackups(name, reading);
  const schedules = await schedulesHere(ports, stored, signal);
  const backup = syncedBackup({
    stored,
    namespace,
    location,
    isSchedule: ({ kind, uid }) => kind === 'Schedule' && schedules.has(uid),
    hasPodVolumes: podVolumes.length > 0,
    nowMs: clock.now(),
  });
  memory.later.done(name);
  try {
    const created = await kube.create(backupType, backup, { namespace, signal });
    log.info({ location, backup: name }, 'a backup of the location is added to the cluster');
    await addPodVolumes(ports, created, { podVolumes, location }, signal);
    return true;
  } catch (error) {
    // Somebody else was faster; what is in the cluster is never changed.
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

/** Goes on with Backups whose maker ended before the objects of their pod volumes were made. @throws KUBE_… */
export async function completeBackups(
  ports: SyncPorts,
  { location, store }: Pick<AddInput, 'location' | 'store'>,
  signal: AbortSignal,
): Promise<void> {
  const pending = ports
    .backups()
    .filter(
      ({ metadata, spec }) =>
        metadata.annotations?.[annotations.syncPending] !== undefined && spec.storageLocation === location,
    );
  await eachAtOnce(pending, backupsAtOnce, async (backup) => {
    const name = backup.metadata.name ?? '';
    try {
      const podVolumes = await store.getPodVolumeBackups(name, { signal });
      await addPodVolumes(ports, backup, { podVolumes, location }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isOfApiServer(error)) throw error;
      const reason = withoutSignatures(describeError(error));
      ports.log.warn({ location, backup: name, reason }, 'pod volumes of a backup cannot be read');
    }
  });
}

async function addPodVolumes(
  { kube }: SyncPorts,
  backup: Backup,
  { podVolumes, location }: { podVolumes: readonly PodVolumeBackup[]; location: string },
  signal: AbortSignal,
): Promise<void> {
  if (backup.metadata.annotations?.[annotations.syncPending] === undefined) return;
  const { namespace } = backup.metadata;
  for (const stored of podVolumes.filter(isOver)) {
    const object = syncedPodVolumeBackup(stored, backup, location);
    await kube.create(podVolumeBackupType, object, { namespace, signal }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  const body = { metadata: { uid: backup.metadata.uid, annotations: { [annotations.syncPending]: null } } };
  await kube.patch(backupType, keyOf(backup), { type: 'merge', body }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Uids of the owners that exist here: Schedules, for nothing else owns a Backup. */
async function schedulesHere(
  { kube, namespace }: SyncPorts,
  stored: Backup,
  signal: AbortSignal,
): Promise<Set<string>> {
  const named = (stored.metadata.ownerReferences ?? []).filter(({ kind }: OwnerReference) => kind === 'Schedule');
  const found = new Set<string>();
  for (const { name, uid } of named) {
    const schedule = await readObject(kube, scheduleType, { namespace, name }, signal);
    if (schedule?.metadata.uid === uid) found.add(uid);
  }
  return found;
}
