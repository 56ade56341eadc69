import type { ReplicaLink, ZeroOptions } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { Core } from './core.ts';
import type { SentFlight } from './flight.ts';
import type { Entrant } from './gate.ts';
import type { LockedArea } from './overlap-locks.ts';
import { readFromOne } from './read-path.ts';
import { type Area, type Piece, widened } from './widen.ts';

/**
 * One request that all members have to carry out: a write, a trim, zeros, a flush. It is answered when every member of the set has answered and no
 * failure is unrecorded.
 */
abstract class Change implements SentFlight, Entrant {
  waiting = 0;
  isSent = false;
  refusal: AppError | undefined;
  abstract readonly asked: 'change' | 'flush';
  readonly bytes: number;
  protected readonly core: Core;
  readonly #resolve: () => void;
  readonly #reject: (error: AppError) => void;

  constructor(core: Core, bytes: number, resolve: () => void, reject: (error: AppError) => void) {
    this.core = core;
    this.bytes = bytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    this.core.flights.add(this);
    this.begin();
  }

  settle(): void {
    const { core } = this;
    if (core.hold.isHolding || !core.flights.delete(this)) return;
    if (this.refusal === undefined) {
      this.#resolve();
      this.answered();
    } else {
      this.#reject(this.refusal);
    }
    this.left();
    core.gate.leave(this.bytes);
  }

  end(error: AppError): void {
    this.#reject(error);
  }

  protected abstract begin(): void;
  /** Called when the change has succeeded. */
  protected abstract answered(): void;
  /** Called when the change has succeeded or was refused. */
  protected left(): void {}
}

export class Flush extends Change {
  readonly asked = 'flush';

  protected begin(): void {
    this.core.fanOut(this, (link) => link.flush());
  }

  protected answered(): void {
    this.core.options.metrics?.answered?.('flush', 0);
  }
}

/** A write, or zeros. Overlapping changes run in the order in which they came. */
export class Write extends Change {
  readonly asked = 'change';
  readonly #piece: Piece;
  readonly #area: Area;
  readonly #options: ZeroOptions;
  #whole: Area;
  #lock: LockedArea | undefined;

  constructor(
    o: { core: Core; piece: Piece; length: number; options: ZeroOptions },
    resolve: () => void,
    reject: (error: AppError) => void,
  ) {
    super(o.core, 'data' in o.piece ? o.length : 0, resolve, reject);
    this.#piece = o.piece;
    this.#options = o.options;
    this.#area = { start: o.piece.at, end: o.piece.at + o.length };
    this.#whole = this.#area;
  }

  protected begin(): void {
    this.core.pace.enter(this.bytes, () => this.#paced());
  }

  #paced(): void {
    const { widenBytes, locks, sizeBytes, parts } = this.core;
    if (widenBytes !== undefined) this.#whole = parts.wholeUnits(this.#area, widenBytes, sizeBytes);
    const { start, end } = parts.lockedArea(this.#area, this.#whole);
    this.#lock = locks.acquire(start, end, () => this.#granted(widenBytes));
  }

  protected override left(): void {
    if (this.#lock !== undefined) this.core.locks.release(this.#lock);
    this.core.pace.leave(this.bytes);
  }

  protected answered(): void {
    this.core.options.metrics?.answered?.('write', this.#area.end - this.#area.start);
  }

  #granted(widenBytes: number | undefined): void {
    const isWhole = this.#whole.start === this.#area.start && this.#whole.end === this.#area.end;
    if (widenBytes === undefined || isWhole) {
      this.core.fanOut(this, (link) => apply(link, this.#piece, this.#options));
    } else {
      this.#widen(widenBytes);
    }
  }

  #widen(widenBytes: number): void {
    const read = (at: number, length: number) =>
      new Promise<readonly Uint8Array[]>((resolve) => readFromOne(this.core, at, length, resolve));
    void widened(this.#piece, this.#area, this.#whole, read, widenBytes).then((pieces) => {
      if (this.core.over !== undefined) return;
      this.core.fanOut(this, (link) => allOf(pieces.map((piece) => apply(link, piece, this.#options))));
    });
  }
}

/** Rejects only when no piece is pending any more: the lock of the area may be released then. */
async function allOf(pieces: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(pieces);
  await Promise.all(pieces);
}

/** The data belongs to the caller; all members get the same buffers. */
function apply(link: ReplicaLink, piece: Piece, options: ZeroOptions): Promise<void> {
  return 'data' in piece
    ? link.write(BigInt(piece.at), piece.data, options)
    : link.zero(BigInt(piece.at), piece.zeros, options);
}
