import type { LinePiece, LinePlace } from './timestamped-lines.ts';

const lineFeed = 10;

/** How far a log has been read, so that another connection can continue there: no line is lost or repeated. */
export class LogPosition {
  #last: { place: LinePlace; bytes: number; complete: boolean } | undefined;
  /** The node's clock was set back while the container wrote. */
  #wentBack = false;

  /**
   * The `sinceTime` of the next request. The API server passes only whole seconds to the kubelet, so some lines are sent again. Undefined for the
   * whole log: at first, and when timestamps are out of order.
   */
  get sinceTime(): string | undefined {
    return this.#wentBack ? undefined : this.#last?.place.timestamp.replace(/\.\d+/, '');
  }

  /** For one connection: which bytes of each piece are new. Pieces must come in the order in which they are stored. */
  reader(): (piece: LinePiece) => Uint8Array[] {
    const known = this.#last;
    let isNew = known === undefined;
    /** Bytes of the last known line that this connection has brought. */
    let passed: number | undefined;
    return (piece) => {
      if (isNew || known === undefined) return this.#take(piece);
      if (isSame(piece.place, known.place)) {
        const skipped = Math.min(piece.bytes.length, Math.max(known.bytes - (passed ?? 0), 0));
        passed = (passed ?? 0) + piece.bytes.length;
        const rest = piece.bytes.subarray(skipped);
        return rest.length === 0 ? [] : this.#take({ ...piece, bytes: rest });
      }
      // When timestamps are out of order, only the line itself shows where to continue.
      isNew = passed !== undefined || (!this.#wentBack && isLater(piece.place, known.place));
      if (!isNew) return [];
      // The rest of a torn line was rotated away: the next line must not be appended to it.
      const isTorn = this.#last?.complete === false;
      return [...(isTorn ? [Uint8Array.of(lineFeed)] : []), ...this.#take(piece)];
    };
  }

  #take({ place, bytes }: LinePiece): Uint8Array[] {
    const last = this.#last;
    const goesOn = last !== undefined && isSame(place, last.place);
    if (!goesOn && last !== undefined && isLater(last.place, place)) this.#wentBack = true;
    const before = goesOn ? last.bytes : 0;
    this.#last = { place, bytes: before + bytes.length, complete: bytes.at(-1) === lineFeed };
    return [bytes];
  }
}

const isSame = (a: LinePlace, b: LinePlace): boolean => a.timestamp === b.timestamp && a.ordinal === b.ordinal;

function isLater(a: LinePlace, b: LinePlace): boolean {
  if (a.timestamp === b.timestamp) return a.ordinal > b.ordinal;
  const [one, two] = [nanosecondsOf(a.timestamp), nanosecondsOf(b.timestamp)];
  return one > two;
}

function nanosecondsOf(timestamp: string): bigint {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? '';
  const seconds = Date.parse(timestamp.replace(/\.\d+/, '')) / 1000;
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
