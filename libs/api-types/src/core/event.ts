import type { KubeObject } from '../meta/kube-object.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { coreType } from './core-type.ts';

/** core/v1 Event. Named so because `Event` is a global of the platform. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  /** A second object that has to do with it; our data movers name their pod. */
  related?: ObjectReference;
  reason?: string;
  message?: string;
  type?: 'Normal' | 'Warning';
  source?: { component?: string; host?: string };
  /** How often it happened; repeats patch the same object (data-movement.md section 7). */
  count?: number;
  firstTimestamp?: Timestamp | null;
  lastTimestamp?: Timestamp | null;
  eventTime?: string | null;
  reportingComponent?: string;
  reportingInstance?: string;
  [field: string]: unknown;
}

export const eventType = coreType<CoreEvent>('v1', 'Event', 'events');
