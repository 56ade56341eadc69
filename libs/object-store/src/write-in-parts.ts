export interface PartWriter {
  /** Bytes of the part with this number, from 0; the last one may be smaller. */
  partBytes(part: number): number;
  /** Everything fits into one part; it may be empty. */
  whole(body: Uint8Array): Promise<void>;
  /** It does not. */
  parts(bodies: AsyncIterable<Uint8Array>): Promise<void>;
}

/**
 * Joins pieces of any size to parts and gives them to the writer: one as a whole object, more as they become full. Holds two
 * parts at most. The caller's source is ended in any case, also when a part failed.
 * @throws what the source and the writer throw; the signal's reason
 */
export async function writeInParts(
  pieces: AsyncIterable<Uint8Array>,
  writer: PartWriter,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const bodies = partsOf(pieces, writer, signal);
  try {
    const first = await bodies.next();
    const second = first.done === true ? first : await bodies.next();
    if (first.done === true || second.done === true) return await writer.whole(first.value ?? new Uint8Array());
    await writer.parts(andThen([first.value, second.value], bodies));
  } finally {
    await bodies.return(undefined);
  }
}

async function* partsOf(
  pieces: AsyncIterable<Uint8Array>,
  { partBytes }: PartWriter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let parts = 0;
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    let rest = piece;
    while (rest.length > 0) {
      const wanted = partBytes(parts);
      const taken = rest.subarray(0, wanted - heldBytes);
      rest = rest.subarray(taken.length);
      held.push(taken);
      heldBytes += taken.length;
      if (heldBytes < wanted) continue;
      parts++;
      yield Buffer.concat(held);
      held = [];
      heldBytes = 0;
    }
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

async function* andThen(first: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}
