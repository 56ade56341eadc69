import { snapshotCorrupt } from '../snapshot-corrupt.ts';
import { EntryScan, type JsonEntry } from './entry-scan.ts';

export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * The entries of `{"stream":…,"entries":[…],…}`, as kopia writes folders and lists of pieces, in groups as the pieces come: a
 * folder of a million entries is never in memory as a whole. An entry is an object.
 * @throws AppError SNAPSHOT_CORRUPT when it is another stream, or no whole JSON
 */
export async function* jsonEntries(stream: string, pieces: Pieces): AsyncGenerator<readonly JsonEntry[]> {
  const corrupt = (why: string, cause?: unknown) => snapshotCorrupt(`a list of the kind ${stream} ${why}`, cause);
  const beginning = `{"stream":"${stream}","entries":`;
  const scan = new EntryScan(corrupt);
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of pieces) {
    let bytes = piece;
    if (head !== undefined) {
      head = Buffer.concat([head, piece]);
      if (head.length <= beginning.length) continue;
      if (head.toString('latin1', 0, beginning.length) !== beginning) throw corrupt('does not begin like one');
      bytes = head.subarray(beginning.length);
      head = undefined;
    }
    const entries = scan.push(bytes);
    if (entries.length > 0) yield entries;
  }
  scan.finish();
}
