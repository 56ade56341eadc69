import { annotations, type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { type BackupStore, backupStore } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { durationText, orAborted } from '@lateen/kernel';
import { apiTime, isNotFound, keyOf } from '@lateen/kube';
import { eventSubject } from '@lateen/kube-runtime';
import { withStore } from '@lateen/storage-location';
import { decideOrphans } from '../decide/decide-orphans.ts';
import { presentPlace, syncedPlaceText } from '../decide/synced-place.ts';
import { addBackups, completeBackups } from './add-backups.ts';
import type { LocationMemory } from './location-memory.ts';
import { removeOrphans } from './remove-orphans.ts';
import { type SyncPorts, syncReasons } from './sync-ports.ts';

/** Longest wait for the names in a bucket; a thousand come at a time. */
const listTimeoutMs = 60_000;

/** Names of backups in one message. */
const namedMax = 5;

/**
 * Makes the Backups of the cluster those of one location: what the bucket has is made known, what it has lost is removed. Only a listing
 * that was read to its end counts; when it fails nothing is added, removed or written down.
 * @throws SYNC_TIMEOUT, KUBE_…, what reading the location and its store throw
 */
export async function syncLocation(
  ports: SyncPorts,
  { location, memory }: { location: BackupStorageLocation; memory: LocationMemory },
  signal: AbortSignal,
): Promise<void> {
  const name = location.metadata.name ?? '';
  const place = presentPlace(location, ports.clock.now());
  await withStore(ports, location, { signal, customerKey: true }, async (objects, { prefix }) => {
    const store = backupStore(objects, prefix);
    // What is finished now is stored before the bucket is listed, so that its absence means something.
    const before = ports.backups();
    const listed = await listBackups(ports, store, signal);
    const { broken } = await addBackups(ports, { location: name, store, memory, listed }, signal);
    if (broken.length > 0) tellBroken(ports, location, broken);
    await completeBackups(ports, { location: name, store }, signal);
    const orphans = decideOrphans({ location: name, place, before, listed, seen: memory.seen });
    await removeOrphans(ports, { location, store, gone: orphans.gone }, signal);
    tellDoubtful(
      ports,
      { location, memory },
      orphans.doubtful.map(({ metadata }) => metadata.name ?? ''),
    );
    memory.seen = new Set([...listed, ...orphans.gone.map(({ metadata }) => metadata.name ?? '')]);
  });
  const body = {
    metadata: { uid: location.metadata.uid, annotations: { [annotations.syncedPlace]: syncedPlaceText(place) } },
    status: { lastSyncedTime: apiTime(ports.clock.now()) },
  };
  await ports.kube
    .patch(backupStorageLocationType, keyOf(location), { type: 'merge', body }, { signal })
    .catch(unlessGone);
}

async function listBackups({ clock }: SyncPorts, store: BackupStore, signal: AbortSignal): Promise<Set<string>> {
  const timeout = clock.deadline(listTimeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    return new Set(await orAborted(store.listBackups({ signal: either }), either));
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new AppError('SYNC_TIMEOUT', `the backups could not be listed within ${durationText(listTimeoutMs)}`, {
      retry: 'later',
    });
  }
}

function tellBroken({ events }: SyncPorts, location: BackupStorageLocation, broken: readonly string[]): void {
  const message = `${count(broken)} of the location cannot be read: ${some(broken)}`;
  events.record(eventSubject(location), syncReasons.broken, message, { type: 'Warning' });
}

/** Once for the same Backups. */
function tellDoubtful(
  { events, log }: SyncPorts,
  { location, memory }: { location: BackupStorageLocation; memory: LocationMemory },
  doubtful: readonly string[],
): void {
  const text = doubtful.toSorted().join(' ');
  if (text === memory.toldDoubtful) return;
  memory.toldDoubtful = text;
  if (text === '') return;
  const message = `${count(doubtful)} of the cluster ${doubtful.length === 1 ? 'is' : 'are'} not in the location, and nothing says that it ever had them: they are kept until they expire or are deleted: ${some(doubtful)}`;
  log.warn({ location: location.metadata.name, backups: doubtful.length }, message);
  events.record(eventSubject(location), syncReasons.doubtful, message, { type: 'Warning' });
}

const count = (names: readonly string[]): string => `${names.length} backup${names.length === 1 ? '' : 's'}`;

function some(texts: readonly string[]): string {
  const named = texts.slice(0, namedMax).join('; ');
  return texts.length > namedMax ? `${named}; and ${texts.length - namedMax} more` : named;
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
