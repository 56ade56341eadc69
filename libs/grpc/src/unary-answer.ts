import { type ClientHttp2Stream, constants } from 'node:http2';
import { type ServiceError, status } from '@grpc/grpc-js';
import { onMessageBytes, serviceError } from './call-end.ts';
import { FrameBytes, prefixBytes } from './message-frames.ts';

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

/** The bytes of one message, of limited length. */
class MessageBody {
  readonly #bytesMax: number;
  readonly #frames = new FrameBytes();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** An error when it is larger than it may be. */
  add(chunk: Buffer): ServiceError | undefined {
    this.#frames.add(chunk);
    const bytes = Math.max(this.#frames.bytes - prefixBytes, this.#frames.head()?.length ?? 0);
    if (bytes <= this.#bytesMax) return undefined;
    this.#frames.clear();
    return serviceError(
      status.RESOURCE_EXHAUSTED,
      `the answer has ${bytes} bytes or more, and ${this.#bytesMax} are read`,
    );
  }

  /** Undefined when there is none, only a part of one, more than one, or one that is compressed. */
  whole(): Buffer | undefined {
    const head = this.#frames.head();
    if (head === undefined || head.isCompressed || head.length !== this.#frames.bytes - prefixBytes) return undefined;
    return this.#frames.take(head.length);
  }
}
