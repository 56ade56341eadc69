/** Before each message of gRPC: whether it is compressed, and its length. */
export const prefixBytes = 5;

/** A message as it is sent, not compressed; `moreBytes` of it are sent after this. */
export function framed(message: Uint8Array, moreBytes = 0): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length + moreBytes, 1);
  frame.set(message, prefixBytes);
  return frame;
}

/** The bytes of messages with their prefixes, as they come. */
export class FrameBytes {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** How many bytes are here, with prefixes. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
  }

  /** What the prefix of the first message says; undefined before it is here. */
  head(): { isCompressed: boolean; length: number } | undefined {
    if (this.#bytes < prefixBytes) return undefined;
    const [first] = this.#chunks;
    const prefix = first !== undefined && first.length >= prefixBytes ? first : this.#joined();
    return { isCompressed: prefix[0] !== 0, length: prefix.readUInt32BE(1) };
  }

  /** Takes the first message, which has `length` bytes and is here as a whole. */
  take(length: number): Buffer {
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
