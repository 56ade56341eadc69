import type { AppError } from '@lateen/errors';
import type { Core } from './core.ts';
import type { Flight } from './flight.ts';
import type { Entrant } from './gate.ts';

type Bytes = readonly Uint8Array[];

/** Reads from one member; its failure is its own, and the next one is asked. Calls nothing when the set is over. */
export function readFromOne(core: Core, at: number, length: number, then: (data: Bytes) => void): void {
  const member = core.parts.pickReader(core.members);
  if (member === undefined) {
    core.end(new Error('no replica can be read'));
    return;
  }
  const sentAt = core.options.clock.monotonicMs();
  member.load += 1;
  member.link.read(BigInt(at), length).then(
    (data) => {
      member.load -= 1;
      if (core.over !== undefined) return;
      if (member.isGone) {
        readFromOne(core, at, length, then);
      } else {
        core.lease.renew(member, sentAt);
        then(data);
      }
    },
    (error) => {
      member.load -= 1;
      core.failedBy(member, error);
      if (core.over === undefined) readFromOne(core, at, length, then);
    },
  );
}

/**
 * One read. Its bytes are given out when every change of the same area that was under way beside it is acknowledged (it
 * may have seen one that only this replica has), and while the lease holds.
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
    const core = this.#core;
    core.flights.add(this);
    const end = this.#at + this.bytes;
    if (core.comparing?.isOpen(end)) core.comparing.read(this.#at, this.bytes, (data) => this.#arrived(data));
    else readFromOne(core, this.#at, this.bytes, (data) => this.#arrived(data));
  }

  settle(): void {}

  end(error: AppError): void {
    this.#reject(error);
  }

  #arrived(data: Bytes): void {
    const { locks, lease } = this.#core;
    locks.afterUnderWay(this.#at, this.#at + this.bytes, () => lease.whenHeld(() => this.#answer(data)));
  }

  #answer(data: Bytes): void {
    const core = this.#core;
    if (!core.flights.delete(this)) return;
    this.#resolve(data);
    core.options.metrics?.answered?.('read', this.bytes);
    core.gate.leave(this.bytes);
  }
}
