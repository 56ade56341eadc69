import type { CoreEvent, KubeObject } from '@lateen/api-types';

/** Selects the Events that report a problem. */
export interface EventQuestion {
  /** Reasons that report the problem. */
  reasons: readonly string[];
  /** Reasons that report its end, when they are not older than the problem. */
  overBy?: readonly string[];
  /** Messages that only say that something took too long: used when there is no better one. */
  vague?: RegExp;
}

/**
 * Events about this object, oldest first. Events about an earlier object of the same name (another UID) are left out: the pods of
 * all attempts have the same name.
 */
export function eventsAbout(events: readonly CoreEvent[], object: KubeObject | undefined): CoreEvent[] {
  if (object === undefined) return [];
  const { name, namespace, uid } = object.metadata;
  return events
    .filter(({ involvedObject: about }) => about.kind === object.kind && about.name === name)
    .filter(({ involvedObject: about }) => about.namespace === undefined || about.namespace === namespace)
    .filter(({ involvedObject: about }) => !about.uid || uid === undefined || about.uid === uid)
    .toSorted((a, b) => timeOf(a) - timeOf(b));
}

/** The newest Event of a problem that is not over; a specific Event is preferred to a newer vague one. */
export function newestTrouble(events: readonly CoreEvent[], question: EventQuestion): CoreEvent | undefined {
  const { reasons, overBy = [], vague } = question;
  const over = events.findLastIndex(({ reason = '' }) => overBy.includes(reason));
  const overMs = over < 0 ? Number.NEGATIVE_INFINITY : timeOf(events[over] as CoreEvent);
  const troubles = events.filter((event) => reasons.includes(event.reason ?? '') && timeOf(event) > overMs);
  const specific = vague === undefined ? troubles : troubles.filter(({ message = '' }) => !vague.test(message));
  return specific.at(-1) ?? troubles.at(-1);
}

/** True when one of the Events has this reason. */
export function hasReason(events: readonly CoreEvent[], reason: string): boolean {
  return events.some((event) => event.reason === reason);
}

/** The message of the Event, or its reason when it has no message. */
export function wordsOf(event: CoreEvent): string {
  return event.message === undefined || event.message === '' ? (event.reason ?? 'no reason given') : event.message;
}

/** Epoch ms. The scheduler and other users of events.k8s.io fill in eventTime and series instead of lastTimestamp. */
function timeOf(event: CoreEvent): number {
  const series = event.series as { lastObservedTime?: string } | null | undefined;
  const text =
    series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
  return Date.parse(text) || 0;
}
