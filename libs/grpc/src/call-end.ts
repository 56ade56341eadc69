import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

/**
 * Hands on the bytes of the messages that come over a stream of node:http2. Resolves when the call has ended: with undefined for the status OK, else with
 * the status, UNAVAILABLE for a connection that broke. Never rejects.
 */
export function onMessageBytes(
  stream: ClientHttp2Stream,
  take: (bytes: Buffer) => void,
): Promise<ServiceError | undefined> {
  const end = Promise.withResolvers<ServiceError | undefined>();
  let told: IncomingHttpHeaders | undefined;
  let httpStatus: number | undefined;
  let broken: Error | undefined;
  const settle = () => end.resolve(told === undefined ? withoutStatus(stream, httpStatus, broken) : failureIn(told));
  stream
    .on('response', (headers) => {
      httpStatus = headers[':status'];
      // An answer of a status alone has it there.
      if (headers['grpc-status'] !== undefined) told = headers;
    })
    .on('data', (bytes: Buffer) => {
      // A page of a server that speaks no gRPC is no message.
      if (httpStatus === 200) take(bytes);
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
  return end.promise;
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
