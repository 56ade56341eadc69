import { type ByteRange, tooShort } from '@lateen/object-store';
import type { objectStore as wire } from '@lateen/plugin-protocol';

/** Size of one message: programs on Go's gRPC accept 4 MiB. */
const pieceBytesMax = 256 * 1024;

export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The object to store, as the messages of one call. */
export class ObjectSource {
  readonly #to: Omit<wire.PutObjectRequest, 'body'>;
  readonly #pieces: Pieces;
  /** The source itself failed, with `error`. */
  failed = false;
  error: unknown;

  constructor(to: Omit<wire.PutObjectRequest, 'body'>, pieces: Pieces) {
    this.#to = to;
    this.#pieces = pieces;
  }

  /** In sizes that every program accepts; an empty object is one message without data. @param touch called when a message was taken */
  async *requests(touch: () => void): AsyncGenerator<wire.PutObjectRequest> {
    let isEmpty = true;
    for await (const piece of this.#read()) {
      for (let at = 0; at < piece.length; at += pieceBytesMax) {
        isEmpty = false;
        yield { ...this.#to, body: Buffer.from(piece.subarray(at, at + pieceBytesMax)) };
        touch();
      }
    }
    if (isEmpty) yield { ...this.#to, body: Buffer.alloc(0) };
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#pieces;
    } catch (error) {
      this.failed = true;
      this.error = error;
      throw error;
    }
  }
}

/** The bytes of a range of an object that is read from its beginning; all of them without a range. @throws OBJECT_TOO_SHORT */
export async function* cutToRange(
  messages: AsyncIterable<wire.Bytes>,
  range: ByteRange | undefined,
  subject: string,
  place: string,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  const from = range?.offset ?? 0;
  const to = range === undefined ? Number.POSITIVE_INFINITY : range.offset + range.length;
  for await (const { data } of messages) {
    const piece = data.subarray(Math.max(from - at, 0), Math.max(to - at, 0));
    at += data.length;
    if (piece.length > 0) yield piece;
    if (at >= to) return;
  }
  if (range !== undefined) throw tooShort(subject, place);
}
