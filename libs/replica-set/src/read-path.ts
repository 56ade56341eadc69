import type { AppError } from '@lateen/errors';
import type { Core } from './core.ts';
import type { Flight } from './flight.ts';
import type { Entrant } from './gate.ts';
import type { Member } from './member.ts';

type Bytes = readonly Uint8Array[];

interface Wanted {
  readonly at: number;
  readonly length: number;
  then(data: Bytes, from: Member): void;
}

/** Reads from one member; if that one fails, only it has failed, and the next one is read. Does not call `then` when the set is over. */
export function readFromOne(core: Core, at: number, length: number, then: (data: Bytes, from: Member) => void): void {
  new AskedRead(core, { at, length, then }).ask();
}

/** A read that is sent to one replica, and to a second one when the first is slow; the first answer counts. */
export class AskedRead {
  /** When a replica was asked last, on the monotonic clock. */
  askedAtMs = 0;
  readonly #core: Core;
  readonly #wanted: Wanted;
  /** Replicas that the read was sent to and that have not answered. */
  #asked: readonly Member[] = [];
  #isDone = false;

  constructor(core: Core, wanted: Wanted) {
    this.#core = core;
    this.#wanted = wanted;
  }

  ask(): void {
    const member = this.#core.parts.pickReader(this.#core.members);
    if (member === undefined) this.#core.end(new Error('no replica can be read'));
    else this.#askOf(member, 0);
  }

  /** Sends the read to another replica too, if there is one that is not slow itself and the limit of such bytes allows it. */
  askAnother(): void {
    const core = this.#core;
    const { length } = this.#wanted;
    if (core.askedAgainBytes + length > core.limits.askedAgainBytesMax) return;
    const member = core.parts.pickReader(core.members.filter((other) => !this.#asked.includes(other)));
    if (member !== undefined && !member.isSuspected) this.#askOf(member, length);
  }

  #askOf(member: Member, againBytes: number): void {
    const core = this.#core;
    const { at, length } = this.#wanted;
    const sentAt = core.options.clock.monotonicMs();
    this.askedAtMs = sentAt;
    // Moved to the end: the read that was sent longest ago comes first.
    core.reads.delete(this);
    core.reads.add(this);
    this.#asked = [...this.#asked, member];
    core.askedAgainBytes += againBytes;
    member.load += 1;
    const ended = () => {
      member.load -= 1;
      core.askedAgainBytes -= againBytes;
      this.#asked = this.#asked.filter((other) => other !== member);
    };
    member.link.read(BigInt(at), length).then(
      (data) => {
        ended();
        if (core.over !== undefined) return;
        if (member.isGone) return this.#goOn();
        core.answeredBy(member, sentAt);
        this.#done(data, member);
      },
      (error) => {
        ended();
        core.failedBy(member, error);
        if (core.over === undefined) this.#goOn();
      },
    );
  }

  /** A replica that the read was sent to does not count any more. */
  #goOn(): void {
    if (!this.#isDone && this.#asked.every(({ isGone }) => isGone)) this.ask();
  }

  #done(data: Bytes, from: Member): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#core.reads.delete(this);
    this.#wanted.then(data, from);
  }
}

/**
 * One read. Its data is returned when every change of the same area that was pending beside it is acknowledged (the read may have seen a change that
 * only this replica has), and while the lease holds.
 */
export class Read implements Flight, Entrant {
  waiting = 0;
  isSent = false;
  readonly bytes: number;
  readonly #core: Core;
  readonly #at: number;
  readonly #resolve: (data: Bytes) => void;
  readonly #reject: (error: AppError) => void;

  constructor(
    core: Core,
    at: number,
    bytes: number,
    resolve: (data: Bytes) => void,
    reject: (error: AppError) => void,
  ) {
    this.#core = core;
    this.#at = at;
    this.bytes = bytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    this.#core.flights.add(this);
    this.#read();
  }

  #read(): void {
    const core = this.#core;
    const end = this.#at + this.bytes;
    if (core.comparing?.isOpen(end)) core.comparing.read(this.#at, this.bytes, (data) => this.#arrived(data));
    else readFromOne(core, this.#at, this.bytes, (data, from) => this.#arrived(data, from));
  }

  settle(): void {}

  end(error: AppError): void {
    this.#reject(error);
  }

  #arrived(data: Bytes, from?: Member): void {
    const { locks, lease } = this.#core;
    locks.afterUnderWay(this.#at, this.#at + this.bytes, () => {
      // A refused change beside this read may be only on a replica that has left meanwhile, so the area is read again.
      if (from?.isGone === true) this.#read();
      else lease.whenHeld(() => this.#answer(data));
    });
  }

  #answer(data: Bytes): void {
    const core = this.#core;
    if (!core.flights.delete(this)) return;
    this.#resolve(data);
    core.options.metrics?.answered?.('read', this.bytes);
    core.gate.leave(this.bytes);
  }
}
