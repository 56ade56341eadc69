import type { Socket } from 'node:net';
import { linkLost } from '@lateen/block-engine';
import { type AppError, isAppError } from '@lateen/errors';
import type { ByteQueue } from '../wire/byte-queue.ts';

/** Waits for the bytes of a handshake, one wait at a time. Each wait ends with the socket. */
export class HandshakeReader {
  readonly #socket: Socket;
  readonly #queue: ByteQueue;
  #wake: (() => void) | undefined;
  #ended: AppError | undefined;
  readonly #onData = (bytes: Buffer) => {
    this.#queue.push(bytes);
    this.#wake?.();
  };
  readonly #onError = (error: Error) => {
    this.#ended ??= isAppError(error) ? error : linkLost(error.message, error);
    this.#wake?.();
  };
  readonly #onClose = () => this.#onError(linkLost('it has closed the connection'));

  constructor(socket: Socket, queue: ByteQueue) {
    this.#socket = socket;
    this.#queue = queue;
    socket.on('data', this.#onData).on('error', this.#onError).on('close', this.#onClose);
  }

  /** The next `n` bytes, in a buffer of their own. @throws AppError `LINK_LOST` when the connection ends before */
  async need(n: number): Promise<Buffer> {
    for (;;) {
      const pieces = this.#queue.takeList(n);
      if (pieces !== undefined) return Buffer.concat(pieces);
      if (this.#ended !== undefined) throw this.#ended;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Hands the socket over, paused. @throws AppError `LINK_LOST` when it has ended meanwhile */
  release(): void {
    if (this.#ended !== undefined) throw this.#ended;
    this.#socket.pause();
    this.#socket.off('data', this.#onData).off('error', this.#onError).off('close', this.#onClose);
  }
}
