import type { CoreEvent, Pod } from '@lateen/api-types';
import { keyOf, keyText } from '@lateen/kube';

/** The movement whose data path is watched. */
export interface WatchSubject {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /** `status.startTimestamp`; Events from before it are an earlier attempt's. Needed only where the pod is gone. */
  startedAt?: string | undefined;
}

/** Key of a pod in a feed. */
export const podFeedKey = (pod: Pod): string => keyText(keyOf(pod));

/** Key of an Event in a feed: what it is about, by kind, namespace and name (data-movement.md section 7). */
export function eventFeedKey(event: CoreEvent): string {
  const { kind, namespace, name } = event.involvedObject;
  return `${kind ?? ''}/${namespace ?? ''}/${name ?? ''}`;
}

export const subjectFeedKey = (subject: WatchSubject): string => `${subject.kind}/${subject.namespace}/${subject.name}`;

/** Names come back; an Event of an earlier object of the same name says nothing about this one. */
export function isAbout(event: CoreEvent, subject: WatchSubject): boolean {
  const { uid } = event.involvedObject;
  return uid === undefined || uid === '' || uid === subject.uid;
}
