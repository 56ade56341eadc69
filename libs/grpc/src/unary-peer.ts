import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { type MethodDefinition, status } from '@grpc/grpc-js';
import { serviceError } from './call-end.ts';
import type { CallHeaders } from './client.ts';
import { framed } from './message-frames.ts';
import { readAnswer } from './unary-answer.ts';

const everyCall = {
  ':method': 'POST',
  ':scheme': 'http',
  ':authority': 'localhost',
  'content-type': 'application/grpc',
  te: 'trailers',
  'grpc-accept-encoding': 'identity',
} as const;

/**
 * Calls with one request and one answer over a unix socket, on node:http2. For callers with thousands of short calls: the channels, filters,
 * pickers and retries of grpc-js, which a socket with one server behind it does not need, cost more than all the rest of such a call.
 *
 * The first call connects, and the first one after a connection has ended connects again; nothing is sent twice.
 */
export class UnaryPeer implements Disposable {
  readonly #socketPath: string;
  readonly #answerBytesMax: number;
  #session: ClientHttp2Session | undefined;
  #disposed = false;

  constructor(socketPath: string, answerBytesMax: number) {
    this.#socketPath = socketPath;
    this.#answerBytesMax = answerBytesMax;
  }

  /** @throws the signal's reason on abort, which cancels the call at the server; else a ServiceError with the status */
  async call(
    method: MethodDefinition<unknown, unknown>,
    request: unknown,
    { headers, signal }: { headers: CallHeaders; signal: AbortSignal },
  ): Promise<unknown> {
    signal.throwIfAborted();
    const frame = framed(method.requestSerialize(request));
    const stream = this.#begin({ ...everyCall, ':path': method.path, ...headers });
    stream.end(frame);
    const bytes = await readAnswer(stream, this.#answerBytesMax, signal);
    try {
      return method.responseDeserialize(bytes);
    } catch (error) {
      throw serviceError(status.INTERNAL, `the answer cannot be read: ${messageOf(error)}`);
    }
  }

  /** Calls under way end with UNAVAILABLE, and later ones, too. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#session?.destroy();
  }

  #begin(headers: Record<string, string>): ClientHttp2Stream {
    if (this.#disposed) throw serviceError(status.UNAVAILABLE, 'the client is closed');
    try {
      return this.#connected().request(headers);
    } catch (error) {
      // The connection ended a moment ago.
      throw serviceError(status.UNAVAILABLE, messageOf(error));
    }
  }

  #connected(): ClientHttp2Session {
    if (this.#session !== undefined) return this.#session;
    const session = connect('http://localhost', {
      createConnection: () => connectSocket(this.#socketPath),
      // Each answer has its own bound; this one would end the connection, with all that is under way.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    // The calls under way are told by their own streams.
    session.on('error', forget).on('goaway', forget).on('close', forget);
    this.#session = session;
    return session;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
