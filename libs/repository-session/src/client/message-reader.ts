import { FrameBytes, prefixBytes } from '@lateen/grpc';
import { sessionLimits } from './session-limits.ts';

/** Cuts the bytes of a stream of gRPC into its messages. */
export class MessageReader {
  readonly #frames = new FrameBytes();

  add(chunk: Buffer): void {
    this.#frames.add(chunk);
  }

  /** The next message that is there as a whole. @throws RangeError for one that is compressed or longer than it may be */
  next(): Buffer | undefined {
    const head = this.#frames.head();
    if (head === undefined) return undefined;
    if (head.isCompressed) throw new RangeError('a message is compressed');
    if (head.length > sessionLimits.messageBytesMax) throw new RangeError(`a message has ${head.length} bytes`);
    return this.#frames.bytes < prefixBytes + head.length ? undefined : this.#frames.take(head.length);
  }
}
