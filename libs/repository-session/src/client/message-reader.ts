import { sessionLimits } from './session-limits.ts';

/** Before each message: whether it is compressed, and its length. */
const prefixBytes = 5;

/** Cuts the bytes of a stream of gRPC into its messages. */
export class MessageReader {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The next message that is there as a whole. @throws RangeError for one that is compressed or longer than it may be */
  next(): Buffer | undefined {
    if (this.#bytes < prefixBytes) return undefined;
    const [first] = this.#chunks;
    const head = first !== undefined && first.length >= prefixBytes ? first : this.#joined();
    const length = head.readUInt32BE(1);
    if (head[0] !== 0) throw new RangeError('a message is compressed');
    if (length > sessionLimits.messageBytesMax) throw new RangeError(`a message has ${length} bytes`);
    if (this.#bytes < prefixBytes + length) return undefined;
    const all = this.#joined();
    this.#chunks.splice(0, Infinity, all.subarray(prefixBytes + length));
    this.#bytes = all.length - prefixBytes - length;
    return all.subarray(prefixBytes, prefixBytes + length);
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks.splice(0, Infinity, Buffer.concat(this.#chunks));
    return this.#chunks[0] ?? Buffer.of();
  }
}
