import { type ClientHttp2Stream, constants } from 'node:http2';
import type { ServiceError } from '@grpc/grpc-js';
import { onMessageBytes } from '@lateen/grpc';
import { type SessionRequest, SessionResponse } from '../generated/repository-server.ts';
import { MessageReader } from './message-reader.ts';
import { requestParts } from './request-bytes.ts';

export interface SessionListener {
  onMessage(response: SessionResponse): void;
  /** Called once, last: with the status of the call, undefined for OK, or with what is wrong with a message. */
  onEnd(failure: ServiceError | Error | undefined): void;
}

/**
 * The stream of a session in both directions, on node:http2: of a content of 128 KiB, grpc-js makes two copies, and three quarters of its time
 * are spent on them and their garbage.
 */
export class SessionCall {
  readonly #stream: ClientHttp2Stream;

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
  }

  listen({ onMessage, onEnd }: SessionListener): void {
    const reader = new MessageReader();
    let wrong: Error | undefined;
    const take = (bytes: Buffer): void => {
      try {
        reader.add(bytes);
        for (let message = reader.next(); message !== undefined; message = reader.next())
          onMessage(SessionResponse.decode(message));
      } catch (error) {
        wrong = error instanceof Error ? error : new Error(String(error));
        this.cancel();
      }
    };
    void onMessageBytes(this.#stream, (bytes) => (wrong === undefined ? take(bytes) : undefined)).then((failure) =>
      onEnd(wrong ?? failure),
    );
  }

  /**
   * Resolves when the connection has taken the message, and stays pending when the stream has ended. The bytes of a content must not change before
   * they are answered.
   */
  async write(message: SessionRequest): Promise<void> {
    const [head, data] = requestParts(message);
    this.#stream.cork();
    let isReady = this.#stream.write(head);
    if (data !== undefined && data.length > 0) isReady = this.#stream.write(data);
    this.#stream.uncork();
    if (!isReady) await new Promise<void>((resolve) => void this.#stream.once('drain', resolve));
  }

  cancel(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}
