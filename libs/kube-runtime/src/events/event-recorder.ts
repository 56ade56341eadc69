import type { CoreEvent } from '@lateen/api-types';
import { eventType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type Clock, type Logger, orAborted, type Random, type RetryPolicy, retry } from '@lateen/kernel';
import { apiTime, isAlreadyExists, isNotFound, type KubeApi, retryAfterMsOf } from '@lateen/kube';
import { type EventFacts, type EventSubject, eventMessage, eventName, newEvent } from './event-body.ts';

export interface EventRecorderOptions {
  api: KubeApi;
  /** `source.component`; the data mover uses the custom resource's name. */
  component: string;
  /** `source.host`: the node. */
  host: string;
  /** `related` of every Event: the data mover names its own pod, so that its Events differ from those of another attempt. */
  related?: EventSubject | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
}

export interface EventRecorder {
  /**
   * Records that something happened to an object; returns at once. Occurrences of one reason on one object share one
   * Event, which is patched: message replaced, count raised, lastTimestamp moved. An occurrence that is still unsent
   * when the next comes is counted, and its message replaced.
   */
  record(subject: EventSubject, reason: string, message: string, options?: { type?: 'Normal' | 'Warning' }): void;
  /**
   * Waits until everything recorded so far is stored. True when it is; false when something was dropped since the last flush (which is logged).
   * @throws the signal's reason when it aborts; unsent Events are then still being retried
   */
  flush(signal: AbortSignal): Promise<boolean>;
}

/** Unsent occurrences and remembered Events. The oldest Event is forgotten first; its next occurrence makes a new one. */
export const eventRecorderLimits = { unsentMax: 1_000, rememberedMax: 1_000, attemptsMax: 12 } as const;

const sendBackoff = { firstMs: 200, maxMs: 10_000, factor: 2, jitter: 0.2 };

/** An occurrence; `times` counts the occurrences that it represents. */
type Occurrence = Omit<EventFacts, 'name' | 'component' | 'host' | 'related'>;

/** The Event object for a reason on an object. */
interface Remembered {
  name: string;
  count: number;
  stored: boolean;
}

/** core/v1 Events as data-movement.md section 7 describes. Sends one after the other, in the order of recording. */
export function eventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, log } = options;
  const unsent = new Map<string, Occurrence>();
  const remembered = new Map<string, Remembered>();
  let sending: Promise<void> | undefined;
  let givenUp = 0;

  async function sendAll(): Promise<void> {
    for (let next = firstOf(unsent); next !== undefined; next = firstOf(unsent)) {
      const [key, occurrence] = next;
      unsent.delete(key);
      if (!(await sendOne(options, remembered, key, occurrence))) givenUp += 1;
    }
    sending = undefined;
  }

  return {
    record(subject, reason, message, { type = 'Normal' } = {}) {
      const key = `${subject.uid}/${subject.namespace ?? ''}/${subject.name}/${reason}/${type}`;
      const nowMs = clock.now();
      const waiting = unsent.get(key);
      if (waiting === undefined && unsent.size >= eventRecorderLimits.unsentMax) {
        givenUp += 1;
        log.warn({ reason, object: subject.name }, 'too many unsent events: one is dropped');
        return;
      }
      const firstMs = waiting?.firstMs ?? nowMs;
      unsent.set(key, { subject, reason, message, type, times: (waiting?.times ?? 0) + 1, firstMs, lastMs: nowMs });
      sending ??= Promise.resolve().then(sendAll);
    },
    async flush(signal) {
      signal.throwIfAborted();
      while (sending !== undefined) await orAborted(sending, signal);
      const complete = givenUp === 0;
      givenUp = 0;
      return complete;
    },
  };
}

const firstOf = <V>(map: Map<string, V>): [string, V] | undefined => map.entries().next().value;

/** False when it was dropped. */
async function sendOne(
  options: EventRecorderOptions,
  remembered: Map<string, Remembered>,
  key: string,
  occurrence: Occurrence,
): Promise<boolean> {
  const { log } = options;
  const fields = { reason: occurrence.reason, object: occurrence.subject.name };
  const policy: RetryPolicy = {
    backoff: sendBackoff,
    attemptsMax: eventRecorderLimits.attemptsMax,
    mayRetry: (error) => !isAppError(error) || error.retry !== 'never',
    askedMs: retryAfterMsOf,
    onRetry: ({ error }) => log.debug({ ...fields, err: error }, 'recording an event is tried again'),
  };
  try {
    await retry(options, policy, () => store(options, remembered, key, occurrence));
    return true;
  } catch (error) {
    log.warn({ ...fields, err: error }, 'an event could not be recorded');
    return false;
  }
}

/** Patches the Event if it exists, else creates it. An Event that expired (404) is created again. */
async function store(
  options: EventRecorderOptions,
  remembered: Map<string, Remembered>,
  key: string,
  occurrence: Occurrence,
): Promise<void> {
  const known = remembered.get(key);
  if (known?.stored === true) {
    try {
      await patchEvent(options, known, occurrence);
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      remembered.delete(key);
    }
  }
  const fresh = remembered.get(key) ?? remember(remembered, key, eventName(occurrence.subject, options));
  const { component, host, related } = options;
  try {
    await options.api.create(eventType, newEvent({ ...occurrence, name: fresh.name, component, host, related }));
    Object.assign(fresh, { stored: true, count: occurrence.times });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // Only we use this name: an earlier attempt succeeded and its answer was lost.
    fresh.stored = true;
    await patchEvent(options, fresh, occurrence);
  }
}

async function patchEvent(options: EventRecorderOptions, known: Remembered, occurrence: Occurrence): Promise<void> {
  const count = known.count + occurrence.times;
  const body: Partial<CoreEvent> = {
    message: eventMessage(occurrence.message),
    count,
    lastTimestamp: apiTime(occurrence.lastMs),
  };
  const namespace = occurrence.subject.namespace ?? 'default';
  await options.api.patch(eventType, { namespace, name: known.name }, { type: 'merge', body });
  known.count = count;
}

function remember(remembered: Map<string, Remembered>, key: string, name: string): Remembered {
  const oldest = remembered.keys().next().value;
  if (remembered.size >= eventRecorderLimits.rememberedMax && oldest !== undefined) remembered.delete(oldest);
  const entry = { name, count: 0, stored: false };
  remembered.set(key, entry);
  return entry;
}
