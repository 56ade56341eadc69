import type { CoreEvent, Pod } from '@lateen/api-types';
import type { WatchSubject } from './subject.ts';

/** Whose Events count. */
export interface EventSource {
  /** UID of the hosting pod; undefined when it was gone before anybody looked. */
  podUid: string | undefined;
  /** For Events that name no pod: true when they are older than this attempt. */
  isOld(event: CoreEvent): boolean;
}

/** Both times are the API server's. */
export const eventSourceOf = ({ metadata: { uid, creationTimestamp } }: Pod): EventSource => ({
  podUid: uid,
  isOld: ({ metadata }) => isBefore(metadata.creationTimestamp, creationTimestamp),
});

/**
 * The pod is gone, so its UID is unknown: it was the pod of the newest Event, for attempts follow one another.
 * @param events those about the subject
 */
export function eventSourceWithoutPod(events: readonly CoreEvent[], { startedAt }: WatchSubject): EventSource {
  // Both times are the node's, or as good as.
  const isOld = ({ lastTimestamp, metadata }: CoreEvent) =>
    isBefore(lastTimestamp ?? metadata.creationTimestamp, startedAt);
  const told = events.filter((event) => podUidOf(event) !== undefined && !isOld(event));
  const newest = told.toSorted(byTime).at(-1);
  return { podUid: newest === undefined ? undefined : podUidOf(newest), isOld };
}

/**
 * False for Events of another attempt's pod. Our movers name their pod in `related`; Velero's do not, and their
 * Events count unless they are older than the pod. A recorder makes Event objects of its own, so one object is never
 * about two pods.
 */
export function isFrom(event: CoreEvent, { podUid, isOld }: EventSource): boolean {
  const told = podUidOf(event);
  return told !== undefined && podUid !== undefined ? told === podUid : !isOld(event);
}

function podUidOf({ related }: CoreEvent): string | undefined {
  const isPod = related?.kind === undefined || related.kind === 'Pod';
  return isPod && related?.uid !== '' ? related?.uid : undefined;
}

/** Whole seconds: the same second is not before. */
function isBefore(at: string | undefined | null, limit: string | undefined): boolean {
  return at !== undefined && at !== null && limit !== undefined && Date.parse(at) < Date.parse(limit);
}

const timeOf = (event: CoreEvent): string => event.lastTimestamp ?? event.metadata.creationTimestamp ?? '';

/** Oldest first. */
export const byTime = (a: CoreEvent, b: CoreEvent): number => timeOf(a).localeCompare(timeOf(b));
