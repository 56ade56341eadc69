import {
  type BackupStorageLocation,
  type BackupStorageLocationPhase,
  backupStorageLocationType,
} from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import {
  again,
  isNotFound,
  type KubeApi,
  keyText,
  type ObjectKey,
  type Outcome,
  type Reconciler,
  settled,
} from '@lateen/kube';
import { locationFingerprint, secretLookMs } from '../fingerprint.ts';
import type { OpenStore } from '../open-store.ts';
import { validatedStatus } from './location-status.ts';
import { validateLocation } from './validate-location.ts';
import { validationDueMs, validationFrequencyMs } from './validation-due.ts';

export interface LocationReconcilerPorts {
  kube: KubeApi;
  /** From the informer's cache. */
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  openStore: OpenStore;
  clock: Clock;
  log: Logger;
}

/** Keeps the status of BackupStorageLocations true: validates when due or changed, writes phase, message and time. */
export function locationReconciler(ports: LocationReconcilerPorts): Reconciler {
  /** What was last validated, by key. Lost on a restart, which then validates everything once. */
  const validated = new Map<string, string>();
  return {
    reconcile: async (key, signal) => {
      const location = ports.getLocation(key);
      if (location === undefined || location.metadata.deletionTimestamp !== undefined) {
        validated.delete(keyText(key));
        return settled;
      }
      const fingerprint = await locationFingerprint(ports.kube, location, signal);
      const changed = validated.get(keyText(key)) !== fingerprint;
      const dueMs = validationDueMs(location, { nowMs: ports.clock.now(), changed });
      if (dueMs !== 0) return nextLook(dueMs, location.status?.phase);
      const error = await validateLocation(ports, location, signal).then(
        () => undefined,
        (reason: unknown) => reason ?? new Error('unknown error'),
      );
      signal.throwIfAborted();
      const phase = await writeStatus(ports, key, location, error);
      validated.set(keyText(key), fingerprint);
      return nextLook(validationFrequencyMs(location.spec.validationFrequency, phase), phase);
    },
  };
}

function nextLook(dueMs: number | undefined, phase: BackupStorageLocationPhase | undefined): Outcome {
  if (phase !== 'Available') return again(Math.min(dueMs ?? secretLookMs, secretLookMs), 'the location is unavailable');
  return dueMs === undefined ? settled : again(dueMs, 'the next validation');
}

async function writeStatus(
  ports: LocationReconcilerPorts,
  key: ObjectKey,
  location: BackupStorageLocation,
  error: unknown,
): Promise<BackupStorageLocationPhase> {
  const status = validatedStatus(key.name, error, ports.clock.now());
  if (location.status?.phase !== status.phase || location.status?.message !== status.message) {
    const fields = { location: key.name, phase: status.phase, reason: status.message };
    if (error === undefined) ports.log.info(fields, 'the location is available');
    else ports.log.warn(fields, 'the location is unavailable');
  }
  try {
    await ports.kube.patch(backupStorageLocationType, key, { type: 'merge', body: { status } });
  } catch (failure) {
    // Deleted meanwhile: the watch says so, and there is nobody left to tell.
    if (!isNotFound(failure)) throw failure;
  }
  return status.phase;
}
