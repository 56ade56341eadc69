import type { ReplicaLink } from '@lateen/block-engine';
import type { Mode } from './replica-set.ts';

/** One replica of the set. */
export class Member {
  readonly name: string;
  /** Its bit in `Flight.waiting`; reused when it has left. */
  readonly bit: number;
  readonly isLocal: boolean;
  mode: Mode;
  link: ReplicaLink;
  /** Has left the set: its answers do not count any more. */
  isGone = false;
  /** Its link is being replaced; nothing is sent to it. */
  isRelinking = false;
  /** Slow to answer; reads go to other replicas. */
  isSuspected = false;
  /** Reads under way. */
  load = 0;
  /** Send time of the latest request that it has answered, on the monotonic clock. */
  answeredSentAt = Number.NEGATIVE_INFINITY;
  /** When it last answered a request of the volume, on the monotonic clock; keepalives do not count. */
  progressAtMs = Number.NEGATIVE_INFINITY;
  isAsked = false;
  /** Set while its record as healthy is being written. */
  healthRecord: Promise<unknown> | undefined;

  constructor(o: { name: string; bit: number; mode: Mode; link: ReplicaLink; isLocal: boolean }) {
    this.name = o.name;
    this.bit = o.bit;
    this.mode = o.mode;
    this.link = o.link;
    this.isLocal = o.isLocal;
  }
}
