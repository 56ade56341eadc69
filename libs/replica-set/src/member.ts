import type { ReplicaLink } from '@lateen/block-engine';
import type { Mode } from './replica-set.ts';

/** One replica of the set. */
export class Member {
  readonly name: string;
  /** Its bit in `Flight.waiting`; handed on when it has left. */
  readonly bit: number;
  readonly isLocal: boolean;
  mode: Mode;
  link: ReplicaLink;
  /** Has left the set: nothing that it answers counts any more. */
  isGone = false;
  /** Its link is being replaced; nothing is sent to it. */
  isRelinking = false;
  /** Slow to answer; read from others. */
  isSuspected = false;
  /** Reads under way. */
  load = 0;
  /** When the latest of those requests was sent that it has answered, on the monotonic clock. */
  answeredSentAt = Number.NEGATIVE_INFINITY;
  /** When it has last answered a request of the volume, on the monotonic clock; a sign of life is none. */
  progressAtMs = Number.NEGATIVE_INFINITY;
  isAsked = false;
  /** While its record as healthy is under way. */
  healthRecord: Promise<unknown> | undefined;

  constructor(o: { name: string; bit: number; mode: Mode; link: ReplicaLink; isLocal: boolean }) {
    this.name = o.name;
    this.bit = o.bit;
    this.mode = o.mode;
    this.link = o.link;
    this.isLocal = o.isLocal;
  }
}
