import type { BackupStorageLocation } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { keyText, type ObjectKey } from '@lateen/kube';
import { again, eventSubject, type Outcome, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { withoutSignatures } from '@lateen/object-store';
import { placeFingerprint } from '@lateen/storage-location';
import { syncDueMs, syncPeriodMs } from '../decide/sync-due.ts';
import { syncedPlace } from '../decide/synced-place.ts';
import { LocationMemory } from './location-memory.ts';
import { syncLocation } from './sync-location.ts';
import { type SyncPorts, syncReasons } from './sync-ports.ts';

/** Others wait so long for the first look into the default location: where two have a backup of one name, its one counts. */
const defaultFirstMs = 10_000;
const defaultAgainMs = 200;

/** Looks into each location when it is due (object-store-layout.md section 8), into one at a time of its name. */
export function syncReconciler(ports: SyncPorts): Reconciler {
  const memories = new Map<string, LocationMemory>();
  const startedMs = ports.clock.monotonicMs();
  return {
    reconcile: async (key, signal) => {
      const location = ports.getLocation(key);
      if (location === undefined || location.metadata.deletionTimestamp !== undefined) {
        memories.delete(keyText(key));
        return settled;
      }
      const periodMs = syncPeriodMs(location, ports.serverPeriodMs);
      if (periodMs === undefined) return waiting('a period: it has none');
      if (location.status?.phase !== 'Available') return waiting('its being available');
      const memory = memoryOf(memories, key, location);
      const dueMs = dueOf(ports, { location, memory }, periodMs);
      if (dueMs > 0) return again(dueMs, 'the next look into the location');
      const mayWait = ports.clock.monotonicMs() - startedMs < defaultFirstMs;
      if (mayWait && defaultComesFirst(ports, location, memories)) return again(defaultAgainMs, 'the default location');
      return await look(ports, { location, memory }, periodMs, signal);
    },
  };
}

interface Subject {
  location: BackupStorageLocation;
  memory: LocationMemory;
}

async function look(ports: SyncPorts, subject: Subject, periodMs: number, signal: AbortSignal): Promise<Outcome> {
  const { location, memory } = subject;
  memory.lookedMs = ports.clock.monotonicMs();
  try {
    await syncLocation(ports, subject, signal);
  } catch (error) {
    signal.throwIfAborted();
    memory.lookedMs = undefined;
    const reason = withoutSignatures(describeError(error));
    const message = `the backups of the location could not be matched with the cluster: ${reason}`;
    ports.events.record(eventSubject(location), syncReasons.failed, message, { type: 'Warning' });
    throw error;
  }
  return again(periodMs, 'the next look into the location');
}

/** What this process has just done may not be in the cache yet. */
function dueOf({ clock }: SyncPorts, { location, memory }: Subject, periodMs: number): number {
  const moved = syncedPlace(location).fingerprint !== placeFingerprint(location);
  const dueMs = syncDueMs(location, { nowMs: clock.now(), periodMs, moved });
  if (memory.lookedMs === undefined) return dueMs;
  return Math.max(dueMs, memory.lookedMs + periodMs - clock.monotonicMs());
}

function defaultComesFirst(
  ports: SyncPorts,
  location: BackupStorageLocation,
  memories: ReadonlyMap<string, LocationMemory>,
): boolean {
  if (location.spec.default === true) return false;
  const first = ports.locations().find(({ spec, status }) => spec.default === true && status?.phase === 'Available');
  if (first === undefined || syncPeriodMs(first, ports.serverPeriodMs) === undefined) return false;
  const { namespace, name = '' } = first.metadata;
  return memories.get(keyText({ namespace, name }))?.lookedMs === undefined;
}

/** One that shows another place, or is another object of that name, is a stranger. */
function memoryOf(
  memories: Map<string, LocationMemory>,
  key: ObjectKey,
  location: BackupStorageLocation,
): LocationMemory {
  const subject = `${location.metadata.uid} ${placeFingerprint(location)}`;
  const known = memories.get(keyText(key));
  if (known?.subject === subject) return known;
  const fresh = new LocationMemory(subject);
  memories.set(keyText(key), fresh);
  return fresh;
}
