import { connect, type Socket } from 'node:net';
import { ByteQueue } from '../wire/byte-queue.ts';
import { encodeInfoRequest } from '../wire/export-info.ts';
import { option } from '../wire/numbers.ts';
import { encodeClientFlags, encodeOption } from '../wire/options.ts';
import { encodeRequest, type RequestHead } from '../wire/requests.ts';

/** A client that sends what a test wants, and records the replies. */
export class RawClient implements Disposable {
  readonly socket: Socket;
  readonly queue = new ByteQueue();
  readonly closed: Promise<void>;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.on('error', () => {});
    this.socket.on('data', (bytes) => {
      this.queue.push(bytes);
      this.#wake?.();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.#isClosed = true;
        this.#wake?.();
        resolve();
      });
    });
  }

  say(...pieces: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(pieces));
  }

  /** The next `n` bytes. Rejects when the server closes earlier. */
  async hear(n: number): Promise<Buffer> {
    for (;;) {
      const pieces = this.queue.takeList(n);
      if (pieces !== undefined) return Buffer.concat(pieces);
      if (this.#isClosed) throw new Error(`closed after ${this.queue.length} of ${n} bytes`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Completes the handshake up to the transmission of an export. */
  async go(exportName: string): Promise<void> {
    this.say(encodeClientFlags(3), encodeOption(option.GO, encodeInfoRequest({ name: exportName, wants: [] })));
    await this.hear(18 + 32 + 34 + 20);
  }

  ask(request: Partial<RequestHead>, data: Uint8Array = Buffer.alloc(0)): void {
    this.say(
      encodeRequest({ flags: 0, command: 0, cookieHigh: 0, cookieLow: 0, at: 0n, lengthBytes: 0, ...request }),
      data,
    );
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
