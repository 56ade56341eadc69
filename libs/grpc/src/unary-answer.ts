import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

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
  let told: IncomingHttpHeaders | undefined;
  let httpStatus: number | undefined;
  let broken: Error | undefined;
  const cancel = (reason: unknown) => {
    stream.close(constants.NGHTTP2_CANCEL);
    answer.reject(reason);
  };
  const onAbort = () => cancel(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const settle = () => {
    signal.removeEventListener('abort', onAbort);
    const failed = told === undefined ? withoutStatus(stream, httpStatus, broken) : failureIn(told);
    const message = failed === undefined ? body.whole() : undefined;
    if (failed !== undefined) answer.reject(failed);
    else if (message !== undefined) answer.resolve(message);
    else answer.reject(serviceError(status.INTERNAL, 'the answer is not one whole message'));
  };
  stream
    .on('response', (headers) => {
      httpStatus = headers[':status'];
      // An answer of a status alone has it there.
      if (headers['grpc-status'] !== undefined) told = headers;
    })
    .on('data', (chunk: Buffer) => {
      // A page of a server that speaks no gRPC is no message.
      const refusal = httpStatus === 200 ? body.add(chunk) : undefined;
      if (refusal !== undefined) cancel(refusal);
    })
    .on('trailers', (headers) => {
      told = headers;
    })
    .on('error', (error) => {
      broken = error;
    })
    .on('end', () => {
      if (told !== undefined) settle();
    })
    // In every case, and last; what is settled stays as it is.
    .on('close', settle);
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

/** What a status says that is not OK. */
function failureIn(headers: IncomingHttpHeaders): ServiceError | undefined {
  const code = Number(headers['grpc-status']);
  if (code === status.OK) return undefined;
  const details = wordsOf(headers['grpc-message']);
  return serviceError(status[code] === undefined ? status.UNKNOWN : code, details, Metadata.fromHttp2Headers(headers));
}

/** A stream that ended without the status that a gRPC server sends in every case. */
function withoutStatus(
  { rstCode }: ClientHttp2Stream,
  httpStatus: number | undefined,
  broken: Error | undefined,
): ServiceError {
  if (httpStatus !== undefined && httpStatus !== 200)
    return serviceError(status.UNKNOWN, `HTTP status ${httpStatus} in place of an answer`);
  if (rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM)
    return serviceError(status.RESOURCE_EXHAUSTED, 'the server asks for fewer calls');
  // Node says that the stream was cancelled; why is the cause.
  const why = broken?.cause instanceof Error ? broken.cause : broken;
  return serviceError(status.UNAVAILABLE, why?.message ?? 'the connection ended before the answer');
}

/** Percent-encoded where HTTP has no character for it. */
function wordsOf(header: string | string[] | undefined): string {
  const text = String(header ?? '');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function serviceError(code: status, details: string, metadata = new Metadata()): ServiceError {
  return Object.assign(new Error(details), { code, details, metadata });
}
