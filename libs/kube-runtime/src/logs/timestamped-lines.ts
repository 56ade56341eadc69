import { kubeError } from '@lateen/kube';

/** The place of a line in a container's log: the kubelet's timestamp of its start, and its number among lines with the same timestamp. */
export interface LinePlace {
  timestamp: string;
  /** From 1 on. */
  ordinal: number;
}

/** A piece of a line's text. A line is one or more pieces; only the last ends with a line feed. */
export interface LinePiece {
  place: LinePlace;
  bytes: Uint8Array;
}

const lineFeed = 10;
const space = 32;

/** RFC 3339 with nanoseconds and a zone, as the kubelet writes it; the shortest and the longest possible form. */
const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const timestampBytesMax = 35;

/** How much of a kubelet's error text is reported. */
const errorTextBytesMax = 500;

/**
 * Removes the timestamps from a log that was requested with `timestamps`, wherever the chunks are split. Buffers at most one timestamp: text passes
 * through at once.
 * @throws KUBE_BAD_ANSWER with the text of a line without a timestamp: the kubelet writes its errors into the log itself (for example that it cannot
 * make a file watcher)
 */
export async function* timestampedLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LinePiece> {
  let head: Buffer = Buffer.alloc(0);
  let place: LinePlace | undefined;
  let before: LinePlace | undefined;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      if (place === undefined) {
        const joined = Buffer.concat([head, rest.subarray(0, timestampBytesMax + 1)]);
        const end = joined.indexOf(space);
        const isWhole = end >= 0 || joined.length > timestampBytesMax || joined.includes(lineFeed);
        if (!isWhole) {
          head = joined;
          break;
        }
        const timestamp = joined.toString('latin1', 0, Math.max(end, 0));
        if (!timestampForm.test(timestamp)) throw broken(Buffer.concat([head, rest]));
        place = { timestamp, ordinal: timestamp === before?.timestamp ? before.ordinal + 1 : 1 };
        before = place;
        rest = rest.subarray(end + 1 - head.length);
        head = Buffer.alloc(0);
        continue;
      }
      const end = rest.indexOf(lineFeed);
      const bytes = end < 0 ? rest : rest.subarray(0, end + 1);
      yield { place, bytes };
      rest = rest.subarray(bytes.length);
      if (end >= 0) place = undefined;
    }
  }
  if (head.length > 0) throw broken(head);
}

function broken(text: Buffer): Error {
  const said = text.toString('utf8', 0, errorTextBytesMax).trim();
  return kubeError('KUBE_BAD_ANSWER', `the kubelet broke the log off: ${said}`);
}
