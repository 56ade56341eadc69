import type { CoreEvent, ObjectReference } from '@lateen/api-types';
import type { Clock, Random } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';

/** The object that an Event is about. */
export interface EventSubject {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
  uid: string;
}

export interface EventFacts {
  name: string;
  subject: EventSubject;
  reason: string;
  message: string;
  type: 'Normal' | 'Warning';
  times: number;
  firstMs: number;
  lastMs: number;
  component: string;
  host: string;
  related?: EventSubject | undefined;
}

const nameLengthMax = 253;
/** An engine's last words can be long; the API server takes any length, etcd does not. */
const messageCharsMax = 32_768;

/** The message as it is stored. */
export const eventMessage = (message: string): string =>
  message.length <= messageCharsMax ? message : `${message.slice(0, messageCharsMax - 1)}…`;

/** `<object>.<hex>`: the hex part is the time in ns with the last six digits drawn, so two recorders do not meet. */
export function eventName(subject: EventSubject, { clock, random }: { clock: Clock; random: Random }): string {
  const unique = (
    BigInt(Math.floor(clock.now())) * 1_000_000n +
    BigInt(Math.floor(random.next() * 1_000_000))
  ).toString(16);
  return `${subject.name.slice(0, nameLengthMax - unique.length - 1)}.${unique}`;
}

export function newEvent(facts: EventFacts): CoreEvent {
  const { subject, reason, type, component, host, related } = facts;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: facts.name, namespace: subject.namespace ?? 'default' },
    involvedObject: referenceTo(subject),
    ...(related === undefined ? {} : { related: referenceTo(related) }),
    reason,
    message: eventMessage(facts.message),
    type,
    source: { component, host },
    count: facts.times,
    firstTimestamp: apiTime(facts.firstMs),
    lastTimestamp: apiTime(facts.lastMs),
    reportingComponent: component,
    reportingInstance: host,
  };
}

const referenceTo = ({ namespace, ...named }: EventSubject): ObjectReference =>
  namespace === undefined ? named : { ...named, namespace };
