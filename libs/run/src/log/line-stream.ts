/** The most bytes that are buffered for the reader; lines beyond that are counted and dropped. */
export const waitingBytesMax = 16 * 1024 * 1024;

export interface LineStream {
  /** @param lines whole lines, each with its line feed */
  write(lines: string): void;
  /** No more lines follow; the pieces end after the buffered ones. Safe to repeat. */
  end(): void;
  /** Read once, while lines are being written. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Connects a writer that cannot wait to a reader that may be slow, with bounded memory. */
export function lineStream({ bytesMax = waitingBytesMax }: { bytesMax?: number } = {}): LineStream {
  const encoder = new TextEncoder();
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let leftOut = 0;
  let ended = false;
  let wake: (() => void) | undefined;

  const take = (): Uint8Array[] => {
    const pieces = waiting;
    [waiting, waitingBytes] = [[], 0];
    if (leftOut > 0)
      pieces.push(encoder.encode(`${leftOut} more lines were left out: the store was too slow for them\n`));
    leftOut = 0;
    return pieces;
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const pieces = take();
      if (pieces.length > 0) yield Buffer.concat(pieces);
      else if (ended) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    write: (lines) => {
      if (ended) return;
      if (waitingBytes >= bytesMax) leftOut += 1;
      else {
        const piece = encoder.encode(lines);
        waiting.push(piece);
        waitingBytes += piece.length;
      }
      wake?.();
    },
    end: () => {
      ended = true;
      wake?.();
    },
    pieces: { [Symbol.asyncIterator]: read },
  };
}
