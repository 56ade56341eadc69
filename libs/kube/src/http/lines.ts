/** A line of a stream; `terminated` is false only for what follows the last line feed. */
export interface StreamLine {
  text: string;
  terminated: boolean;
}

/**
 * Splits a byte stream at line feeds, wherever the chunk borders fall; a carriage return before the line feed is
 * dropped. Holds at most one line and one chunk.
 * @throws what `tooLong` makes, as soon as a line has more than `bytesMax` bytes
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  limits: { bytesMax: number; tooLong: () => Error },
): AsyncGenerator<StreamLine> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      if (pendingBytes + end - start > limits.bytesMax) throw limits.tooLong();
      yield { text: textOf([...pending, chunk.subarray(start, end)]), terminated: true };
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > limits.bytesMax) throw limits.tooLong();
  }
  if (pendingBytes > 0) yield { text: textOf(pending), terminated: false };
}

const lineFeed = 10;
const carriageReturn = 13;

function textOf(parts: readonly Uint8Array[]): string {
  const first = parts[0];
  const bytes =
    parts.length === 1 && first !== undefined
      ? Buffer.from(first.buffer, first.byteOffset, first.length)
      : Buffer.concat(parts);
  const end = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
  return bytes.toString('utf8', 0, end);
}
