import type { Clock } from '@lateen/kernel';
import type { Member } from './member.ts';

/**
 * Reads are answered only while every member of the recorded set has answered something that was sent within the last `leaseMs`. Another generation
 * begins with at least one of these members, which does not answer this engine from then on, and waits until this lease has expired. So no read here
 * returns data that another engine has overwritten.
 */
export class Lease {
  readonly #members: () => readonly Member[];
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #ask: (stale: readonly Member[]) => void;
  #waiting: (() => void)[] = [];

  constructor(o: {
    members: () => readonly Member[];
    clock: Clock;
    leaseMs: number;
    ask: (stale: readonly Member[]) => void;
  }) {
    this.#members = o.members;
    this.#clock = o.clock;
    this.#leaseMs = o.leaseMs;
    this.#ask = o.ask;
  }

  /** Calls `then`, now if the lease holds, otherwise when it holds again. */
  whenHeld(then: () => void): void {
    const stale = this.#stale();
    if (stale.length === 0) {
      then();
    } else {
      this.#waiting.push(then);
      this.#ask(stale);
    }
  }

  /** A member has answered something that was sent at `sentAt`. */
  renew(member: Member, sentAt: number): void {
    if (sentAt > member.answeredSentAt) member.answeredSentAt = sentAt;
    this.look();
  }

  /** A member has answered or does not count any more: waiting callers may continue. */
  look(): void {
    if (this.#waiting.length === 0 || this.#stale().length > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const then of waiting) then();
  }

  #stale(): readonly Member[] {
    const after = this.#clock.monotonicMs() - this.#leaseMs;
    let stale: Member[] | undefined;
    for (const member of this.#members()) {
      if (member.answeredSentAt > after) continue;
      stale ??= [];
      stale.push(member);
    }
    return stale ?? none;
  }
}

const none: readonly Member[] = [];
