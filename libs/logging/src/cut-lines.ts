/** A line and how many of its bytes were left out. */
export interface CutLine {
  text: string;
  cutBytes: number;
}

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Splits bytes into lines wherever the chunk borders fall, and keeps at most `bytesMax` bytes of each: other than in
 * a protocol, an overlong line of a log is no reason to stop. What follows the last line feed counts as a line.
 */
export async function* cutLines(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<CutLine> {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let cutBytes = 0;

  const keep = (bytes: Uint8Array) => {
    const room = Math.min(bytes.length, bytesMax - keptBytes);
    if (room > 0) kept.push(bytes.subarray(0, room));
    keptBytes += room;
    cutBytes += bytes.length - room;
  };
  const take = (): CutLine => {
    const bytes = Buffer.concat(kept, keptBytes);
    const end = cutBytes === 0 && bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
    const line = { text: bytes.toString('utf8', 0, end), cutBytes };
    kept = [];
    keptBytes = 0;
    cutBytes = 0;
    return line;
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (keptBytes + cutBytes > 0) yield take();
}
