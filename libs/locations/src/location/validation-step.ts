import {
  annotations,
  type BackupStorageLocation,
  type BackupStorageLocationStatus,
  backupStorageLocationType,
} from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf, keyText } from '@lateen/kube';
import { eventSubject } from '@lateen/kube-runtime';
import { type ReachPorts, secretsOf, validationSubject } from '@lateen/storage-location';
import type { SecretLooks } from '../secret-looks.ts';
import type { Attempts } from './attempts.ts';
import type { Remembered } from './location-memory.ts';
import { type LocationObserver, locationReasons, type Tell } from './location-observer.ts';
import { type ValidatedStatus, validatedStatus } from './location-status.ts';
import { validateLocation } from './validate-location.ts';
import { validationDueMs, validationFrequency } from './validation-due.ts';

export interface ValidationPorts extends ReachPorts {
  looks: SecretLooks;
  attempts: Attempts;
  /** Between two validations of a location whose spec says nothing, in ms; 0: none. */
  serverFrequencyMs: number;
  tell: Tell;
  observer?: LocationObserver | undefined;
  clock: Clock;
  log: Logger;
}

export interface Subject {
  location: BackupStorageLocation;
  remembered: Remembered;
}

/** For so long after a validation the cached object may be the one before it was written. */
const cacheLagMs = 10_000;

/** Longest request for a validation that is answered. */
const requestCharsMax = 256;

/** In how many ms the location is to be validated: 0 now, undefined never. Says once what is wrong with its frequency. */
export function dueOf(ports: ValidationPorts, { location, remembered }: Subject): number | undefined {
  const nowMs = ports.clock.now();
  const { everyMs, warning } = validationFrequency(location.spec.validationFrequency, ports.serverFrequencyMs);
  if (warning !== undefined && remembered.warned !== warning) {
    ports.log.warn({ location: location.metadata.name }, warning);
    ports.tell(eventSubject(location), locationReasons.frequencyInvalid, warning, 'Warning');
  }
  if (warning === undefined) delete remembered.warned;
  else remembered.warned = warning;
  const { validated, seenMs } = remembered;
  const changed = hasChanged(ports.looks, { location, remembered });
  const dueMs = (of: BackupStorageLocation) =>
    validationDueMs(of, { nowMs, everyMs, seenMs, validatedMs: validated?.atMs, changed });
  const lagMs = validated === undefined ? 0 : validated.atMs + cacheLagMs - nowMs;
  if (validated === undefined || lagMs <= 0) return dueMs(location);
  const due = dueMs({ ...location, status: { ...location.status, ...validated.status } });
  // If this is not lag of the cache, another client has removed the status.
  return dueMs(location) === 0 ? Math.min(due ?? lagMs, lagMs) : due;
}

/**
 * Validates and writes down what was found: status, log, Event, metrics. `late` when there was no answer within
 * `timeoutMs` and that is not to be the last word. @throws KUBE_… when the API server is what does not answer
 */
export async function validateAndWrite(
  ports: ValidationPorts,
  { location, remembered }: Subject,
  options: { timeoutMs: number; isFinal: boolean; signal: AbortSignal },
): Promise<'written' | 'late'> {
  const { clock, looks } = ports;
  const read = new Map<string, string>();
  const startedMs = clock.monotonicMs();
  const error = await validateLocation({ ...ports, kube: looks.noting(ports.kube, read) }, location, options).then(
    () => undefined,
    (reason: unknown) => reason ?? new Error('unknown error'),
  );
  options.signal.throwIfAborted();
  if (!options.isFinal && isAppError(error, 'LOCATION_TIMEOUT')) return 'late';
  if (isOfApiServer(error)) throw error;
  const status = validatedStatus(location.metadata.name ?? '', error, clock.now());
  const available = error === undefined;
  ports.observer?.validated({
    location: location.metadata.name ?? '',
    available,
    ms: clock.monotonicMs() - startedMs,
  });
  await writeVerdict(ports.kube, location, status);
  announce(ports, { location, remembered }, status);
  Object.assign(remembered, {
    subject: validationSubject(location),
    versions: read,
    validated: { atMs: clock.now(), status },
  });
  return 'written';
}

/** The API server does not answer, which says nothing about the location. That a Secret must not be read does. */
function isOfApiServer(error: unknown): boolean {
  return (
    isAppError(error) && error.code.startsWith('KUBE_') && error.code !== 'KUBE_FORBIDDEN' && error.retry !== 'never'
  );
}

/** What its spec or its Secrets are now is not what was last validated. */
function hasChanged(looks: SecretLooks, { location, remembered }: Subject): boolean {
  const subject = validationSubject(location);
  if (remembered.subject !== subject) return true;
  const recorded = location.metadata.annotations?.[annotations.validatedSpec];
  // What another process has validated may have changed while there was none.
  if (remembered.validated === undefined && recorded !== undefined && recorded !== subject) return true;
  return secretsOf(location).some((secret) => {
    const name = keyText(secret);
    const [before, now] = [remembered.versions.get(name), looks.version(secret)];
    if (before === undefined && now !== undefined) remembered.versions.set(name, now);
    return before !== undefined && now !== undefined && before !== now;
  });
}

/** Only what is new: a location is validated every minute. */
function announce(ports: ValidationPorts, { location, remembered }: Subject, status: ValidatedStatus): void {
  const before: BackupStorageLocationStatus = remembered.validated?.status ?? location.status ?? {};
  if (before.phase === status.phase && (before.message ?? '') === status.message) return;
  const fields = { location: location.metadata.name, phase: status.phase, reason: status.message };
  if (status.phase === 'Available') {
    ports.log.info(fields, 'the location is available');
    ports.tell(eventSubject(location), locationReasons.available, 'the location can be used', 'Normal');
  } else {
    ports.log.warn(fields, 'the location is unavailable');
    ports.tell(eventSubject(location), locationReasons.unavailable, status.message, 'Warning');
  }
}

/** The result, with what it refers to: a client that changed the location can distinguish it from the result for the earlier spec. */
async function writeVerdict(kube: KubeApi, location: BackupStorageLocation, status: ValidatedStatus): Promise<void> {
  const request = location.metadata.annotations?.[annotations.validationRequested] ?? '';
  const marks = {
    [annotations.validatedSpec]: validationSubject(location),
    // A longer one could be so long that the object has no room for it twice.
    [annotations.validationAnswered]: request === '' || request.length > requestCharsMax ? null : request,
  };
  const body = { metadata: { annotations: marks }, status };
  try {
    await kube.patch(backupStorageLocationType, keyOf(location), { type: 'merge', body });
  } catch (failure) {
    // Deleted meanwhile: the watch reports it, and no result is needed.
    if (!isNotFound(failure)) throw failure;
  }
}
