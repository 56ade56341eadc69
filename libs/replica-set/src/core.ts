import { blockIoError, type ReplicaLink } from '@lateen/block-engine';
import { type AppError, isAppError } from '@lateen/errors';
import { ChangeFeed } from './change-feed.ts';
import type { Comparing } from './compare-heads.ts';
import { type FailureCause, failureCause, type ReplicaFailure } from './failure.ts';
import type { Flight, SentFlight } from './flight.ts';
import { Gate } from './gate.ts';
import type { Hold } from './hold.ts';
import type { Lease } from './lease.ts';
import { limitsOf, type ReplicaSetLimits } from './limits.ts';
import { Member } from './member.ts';
import type { OverlapLocks } from './overlap-locks.ts';
import { Pace } from './pace.ts';
import { defaultParts, type ReplicaSetParts } from './parts.ts';
import type { AskedRead } from './read-path.ts';
import type { Mode, Refused, ReplicaSetOptions } from './replica-set.ts';
import { type Asked, mayHaveMore } from './verdict.ts';

/** Which replicas are in the set, which have left it, what is pending, and whether the set is over. All other parts work on this. */
export class Core {
  readonly options: ReplicaSetOptions;
  readonly limits: ReplicaSetLimits;
  readonly parts: ReplicaSetParts;
  readonly changes: ChangeFeed;
  readonly gate: Gate;
  readonly pace: Pace;
  readonly locks: OverlapLocks;
  readonly hold: Hold;
  readonly lease: Lease;
  readonly flights = new Set<Flight>();
  /** Pending reads, the one that was sent longest ago first. */
  readonly reads = new Set<AskedRead>();
  /** Bytes of reads that were also sent to a second replica and are pending there. */
  askedAgainBytes = 0;
  sizeBytes: number;
  /** Replaced, never changed in place: a replica may fail while a caller iterates over it. */
  members: readonly Member[] = [];
  /** Set while a replica is being rebuilt: changes cover whole units of this many bytes. */
  widenBytes: number | undefined;
  /** Replicas may differ in writes that were never acknowledged. */
  comparing: Comparing | undefined;
  over: AppError | undefined;
  /** The latest request that the only readable replica refused because it had no space. */
  refused: Refused | undefined;
  readonly #over = new AbortController();
  /** The members, and those that have left and whose failure is not recorded yet. */
  #recordedSet: readonly Member[] = [];

  constructor(options: ReplicaSetOptions, parts: Partial<ReplicaSetParts>) {
    this.options = options;
    this.limits = limitsOf(options.limits);
    this.parts = { ...defaultParts, ...parts };
    this.sizeBytes = Number(options.sizeBytes);
    this.changes = new ChangeFeed(this.limits.changesMax);
    this.gate = new Gate(this.limits, (requests, bytes) => options.metrics?.pending?.(requests, bytes));
    this.pace = new Pace(this.limits);
    this.locks = this.parts.locks();
    const { clock, log } = options;
    this.lease = this.parts.lease({
      clock,
      leaseMs: this.limits.leaseMs,
      members: () => this.#recordedSet,
      ask: (stale) => this.ask(stale),
    });
    this.hold = this.parts.hold({
      clock,
      signal: this.#over.signal,
      recordFailure: (failure, signal) => options.recordFailure(failure, signal),
      over: (error) => this.end(error),
      recorded: ({ replica, cause }) => {
        log.info({ replica }, 'the failure of a replica is recorded');
        this.setMembers(this.members);
        this.changes.tell({ kind: 'recorded', replica, cause });
        this.lease.look();
      },
      released: (heldMs) => this.#released(heldMs),
    });
  }

  /** Aborts when the set is over or has stopped. */
  get overSignal(): AbortSignal {
    return this.#over.signal;
  }

  add(o: { name: string; mode: Mode; link: ReplicaLink; isLocal: boolean }): Member {
    const taken = this.members.reduce((bits, { bit }) => bits | bit, 0);
    const member = new Member({ ...o, bit: ~taken & (taken + 1) });
    this.setMembers([...this.members, member]);
    this.listen(member);
    return member;
  }

  setMembers(members: readonly Member[]): void {
    this.members = members;
    this.#recordedSet = [...members, ...this.hold.members];
    if (members.every(({ mode }) => mode === 'RW')) this.widenBytes = undefined;
  }

  /** A link that ends by itself is a failure of its replica, unless the link has been replaced. */
  listen(member: Member): void {
    const { link } = member;
    void link.closed.then((error) => {
      if (member.link === link && !member.isRelinking) this.failedBy(member, error);
    });
  }

  /** Sends the request to each of `members`; the flight settles when each of them has answered or left. */
  fanOut(flight: SentFlight, apply: (link: ReplicaLink) => Promise<unknown>, members = this.members): void {
    if (this.over !== undefined) return;
    const sentAt = this.options.clock.monotonicMs();
    // All bits are set before the first send: a member that fails at once must not settle a flight that others still have to carry out.
    for (const member of members) if (!member.isGone) flight.waiting |= member.bit;
    flight.isSent = true;
    for (const member of members) {
      if (!member.isGone) this.#send(flight, apply, member, sentAt);
    }
    if (flight.waiting === 0) flight.settle();
  }

  #send(flight: SentFlight, apply: (link: ReplicaLink) => Promise<unknown>, member: Member, sentAt: number): void {
    apply(member.link).then(
      () => {
        if (member.isGone) return;
        this.answeredBy(member, sentAt);
        flight.waiting &= ~member.bit;
        if (flight.waiting === 0) flight.settle();
      },
      (error) => this.#failedAt(flight, member, error, sentAt),
    );
  }

  #failedAt(flight: SentFlight, member: Member, error: unknown, sentAt: number): void {
    if (member.isGone || this.over !== undefined) return;
    const cause = failureCause(error);
    const { fate, unreadableLeave } = this.parts.verdictOf(member, this.members, {
      kind: cause.kind,
      asked: flight.asked,
    });
    if (fate !== 'refuses') {
      this.fail(member, cause, flight.asked);
      return;
    }
    this.answeredBy(member, sentAt);
    this.#refuse(flight, member, cause);
    if (unreadableLeave)
      for (const other of this.members) if (other.mode !== 'RW') this.fail(other, mayHaveMore(member.name));
    flight.waiting &= ~member.bit;
    if (flight.waiting === 0) flight.settle();
  }

  #refuse(flight: SentFlight, { name: replica }: Member, { message }: FailureCause): void {
    const { clock, log } = this.options;
    const at = clock.now();
    const { at: toldAt = Number.NEGATIVE_INFINITY } = this.refused ?? {};
    flight.refusal = blockIoError('ENOSPC', `the only replica, ${replica}, has no room: ${message}`);
    if (at - toldAt < this.limits.refusedTellMs) return;
    this.refused = { replica, message, at };
    log.warn({ replica, detail: message }, 'the only replica has no room: requests that need some are refused');
    this.changes.tell({ kind: 'refused', replica, message });
  }

  /** Sends members a keepalive: a short read whose data is ignored. */
  ask(members: readonly Member[]): void {
    if (this.gate.isDrained || this.over !== undefined) return;
    for (const member of members) {
      if (member.isAsked || member.isGone || member.isRelinking) continue;
      member.isAsked = true;
      this.gate.enterOwn();
      const sentAt = this.options.clock.monotonicMs();
      const end = () => {
        member.isAsked = false;
        this.gate.leaveOwn();
      };
      member.link.read(0n, Math.min(4096, this.sizeBytes)).then(
        () => {
          if (!member.isGone) this.lease.renew(member, sentAt);
          end();
        },
        (error) => {
          this.failedBy(member, error);
          end();
        },
      );
    }
  }

  /** A member of the set has answered a request of the volume that was sent at `sentAt`. */
  answeredBy(member: Member, sentAt: number): void {
    member.progressAtMs = this.options.clock.monotonicMs();
    this.lease.renew(member, sentAt);
  }

  failedBy(member: Member, error: unknown, asked: Asked = 'read'): void {
    this.fail(member, failureCause(error), asked);
  }

  /** Removes the replica from the set; nothing is acknowledged until that is recorded. When the last readable replica fails, the set is over. */
  fail(member: Member, cause: FailureCause, asked: Asked = 'none'): void {
    if (member.isGone || this.over !== undefined) return;
    const { clock, log, metrics, recordFailure } = this.options;
    const isLast = this.parts.verdictOf(member, this.members, { kind: cause.kind, asked }).fate === 'ends';
    const failure: ReplicaFailure = { replica: member.name, cause, at: clock.now(), last: isLast };
    log.warn({ replica: member.name, cause: cause.kind, detail: cause.message, last: isLast }, 'a replica has failed');
    metrics?.failed?.(member.name, cause.kind);
    member.isGone = true;
    this.changes.tell({ kind: 'failed', replica: member.name, cause });
    if (isLast) {
      void recordFailure(failure, clock.deadline(this.limits.recordMs)).catch(() => {});
      this.end(blockIoError('EIO', `the last replica, ${member.name}, has failed: ${cause.message}`));
      return;
    }
    this.hold.begin(member, failure);
    this.setMembers(this.members.filter((other) => other !== member));
    this.closeLink(member.link);
    for (const flight of this.flights) {
      if ((flight.waiting & member.bit) === 0) continue;
      flight.waiting &= ~member.bit;
      if (flight.waiting === 0) flight.settle();
    }
  }

  /** Ends the set: nothing is served any more. Unanswered requests fail; the first cause is kept. */
  end(error: unknown, options: { isStop?: boolean } = {}): void {
    if (this.over !== undefined) return;
    const over = isAppError(error, 'BLOCK_IO') ? error : blockIoError('EIO', 'the engine is over', error);
    this.over = over;
    if (!options.isStop) this.options.log.warn({ err: error }, 'the engine is over');
    this.#over.abort(over);
    for (const flight of this.flights) flight.end(over);
    this.flights.clear();
    this.reads.clear();
    this.pace.end();
    this.gate.end(over);
    for (const { link } of this.members) this.closeLink(link);
    if (!options.isStop) this.changes.tell({ kind: 'over', error: over });
    this.changes.end();
  }

  closeLink(link: ReplicaLink): void {
    void Promise.resolve(link[Symbol.asyncDispose]()).catch((error) =>
      this.options.log.debug({ err: error }, 'a link ended with an error'),
    );
  }

  #released(heldMs: number): void {
    this.options.metrics?.held?.(heldMs / 1_000);
    for (const flight of this.flights) if (flight.isSent && flight.waiting === 0) flight.settle();
  }
}
