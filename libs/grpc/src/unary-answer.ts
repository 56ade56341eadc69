import { type ClientHttp2Stream, constants } from 'node:http2';
import { type ServiceError, status } from '@grpc/grpc-js';
import { onMessageBytes, serviceError } from './call-end.ts';

/** Before each message: whether it is compressed, and its length. */
const prefixBytes = 5;

/** A message as it is sent, not compressed. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, prefixBytes);
  return frame;
}

/**
 * The message with which a stream answers, once its status has come: a message without one is no answer. A stream that is not read to its end
 * is cancelled.
 * @throws ServiceError with the status: UNAVAILABLE for a connection that broke, RESOURCE_EXHAUSTED for more than `bytesMax`; the signal's reason
 */
export function readAnswer(stream: ClientHttp2Stream, bytesMax: number, signal: AbortSignal): Promise<Buffer> {
  const answer = Promise.withResolvers<Buffer>();
  const body = new MessageBody(bytesMax);
  const cancel = (reason: unknown) => {
    stream.close(constants.NGHTTP2_CANCEL);
    answer.reject(reason);
  };
  const onAbort = () => cancel(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  void onMessageBytes(stream, (chunk) => {
    const refusal = body.add(chunk);
    if (refusal !== undefined) cancel(refusal);
  }).then((failure) => {
    signal.removeEventListener('abort', onAbort);
    const message = failure === undefined ? body.whole() : undefined;
    if (failure !== undefined) answer.reject(failure);
    else if (message !== undefined) answer.resolve(message);
    else answer.reject(serviceError(status.INTERNAL, 'the answer is not one whole message'));
  });
  return answer.promise;
}

/** The bytes of one message with its prefix, as they come. */
class MessageBody {
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** An error when it is larger than it may be. */
  add(chunk: Buffer): ServiceError | undefined {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const bytes = Math.max(this.#bytes - prefixBytes, this.#length() ?? 0);
    if (bytes <= this.#bytesMax) return undefined;
    this.#chunks.length = 0;
    this.#bytes = 0;
    return serviceError(
      status.RESOURCE_EXHAUSTED,
      `the answer has ${bytes} bytes or more, and ${this.#bytesMax} are read`,
    );
  }

  /** Undefined when there is none, only a part of one, more than one, or one that is compressed. */
  whole(): Buffer | undefined {
    if (this.#length() !== this.#bytes - prefixBytes) return undefined;
    const all = this.#joined();
    return all[0] === 0 ? all.subarray(prefixBytes) : undefined;
  }

  #length(): number | undefined {
    return this.#bytes < prefixBytes ? undefined : this.#head().readUInt32BE(1);
  }

  #head(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    return first.length >= prefixBytes ? first : this.#joined();
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks.splice(0, Infinity, Buffer.concat(this.#chunks));
    const [all = Buffer.alloc(0)] = this.#chunks;
    return all;
  }
}
