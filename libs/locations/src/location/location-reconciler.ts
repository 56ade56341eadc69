import type { BackupStorageLocation } from '@lateen/api-types';
import { keyText, type ObjectKey } from '@lateen/kube';
import { again, type Outcome, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { secretsOf, validationSubject } from '@lateen/storage-location';
import type { LocationMemory } from './location-memory.ts';
import { validationTimeoutMs } from './validate-location.ts';
import { dueOf, type Subject, type ValidationPorts, validateAndWrite } from './validation-step.ts';

export interface LocationReconcilerPorts extends ValidationPorts {
  /** From the informer's cache. */
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  /** Shared by both reconcilers. */
  memory: LocationMemory;
}

/** The queue of the other reconciler. */
interface Lane {
  add(key: string): void;
}

/** A location that does not answer within this is validated apart from the others, so that it holds up none of them. */
export const promptAnswerMs = 2_000;

/** The longest time between two checks of a location; a check alone makes no call to the API server. */
const lookAgainMs = 600_000;

/**
 * Keeps the status of BackupStorageLocations true: validates when due or changed, writes phase, message and time. One
 * that does not answer promptly goes to `slow`, and does so at once the next times, until its spec changes.
 */
export function locationReconciler(ports: LocationReconcilerPorts, slow: Lane): Reconciler {
  const { memory, looks } = ports;
  const toSlow = (key: string): Outcome => {
    slow.add(key);
    return waiting('the validation of slow locations');
  };
  const later = (subject: Subject): Outcome =>
    again(Math.min(dueOf(ports, subject) ?? lookAgainMs, lookAgainMs), 'the next validation');
  return {
    reconcile: async (key, signal) => {
      const text = keyText(key);
      const location = presentOne(ports, key);
      if (location === undefined) {
        memory.forget(text);
        looks.use(text, []);
        ports.observer?.removed(key.name);
        return settled;
      }
      const about = validationSubject(location);
      looks.use(text, secretsOf(location));
      memory.supersede(text, about);
      const subject = { location, remembered: memory.of(text, about, ports.clock.now()) };
      if (dueOf(ports, subject) !== 0) return later(subject);
      if (subject.remembered.slow === about) return toSlow(text);
      const options = { timeoutMs: promptAnswerMs, isFinal: false, signal };
      if ((await validateAndWrite(ports, subject, options)) === 'late') {
        subject.remembered.slow = about;
        return toSlow(text);
      }
      delete subject.remembered.slow;
      return later(subject);
    },
  };
}

/** Validates what did not answer promptly. A change of its spec ends the attempt: the new one is tried at once. */
export function slowLocationReconciler(ports: LocationReconcilerPorts, prompt: Lane): Reconciler {
  const { clock, memory } = ports;
  return {
    reconcile: async (key, signal) => {
      const text = keyText(key);
      const location = presentOne(ports, key);
      if (location === undefined) return settled;
      const about = validationSubject(location);
      const subject = { location, remembered: memory.of(text, about, ports.clock.now()) };
      if (subject.remembered.slow === about && dueOf(ports, subject) === 0) {
        const superseded = memory.begin(text, about);
        const startedMs = clock.monotonicMs();
        try {
          const either = AbortSignal.any([signal, superseded]);
          await validateAndWrite(ports, subject, { timeoutMs: validationTimeoutMs, isFinal: true, signal: either });
          if (clock.monotonicMs() - startedMs < promptAnswerMs) delete subject.remembered.slow;
        } catch (error) {
          if (!superseded.aborted) throw error;
        } finally {
          memory.end(text);
        }
      }
      // When it is due next is decided there.
      prompt.add(text);
      return settled;
    },
  };
}

function presentOne(ports: LocationReconcilerPorts, key: ObjectKey): BackupStorageLocation | undefined {
  const location = ports.getLocation(key);
  return location?.metadata.deletionTimestamp === undefined ? location : undefined;
}
