import type { Socket } from 'node:net';
import { type BlockErrno, blockRequestBytesMax, errnoOf } from '@lateen/block-engine';
import type { Logger } from '@lateen/kernel';
import type { Outbox } from '../outbox.ts';
import type { ByteQueue } from '../wire/byte-queue.ts';
import { errorNumber } from '../wire/error-numbers.ts';
import { command } from '../wire/numbers.ts';
import { encodeSimpleReply } from '../wire/replies.ts';
import { parseRequest, type RequestHead, requestHeadBytes } from '../wire/requests.ts';
import { carryOut, refusalOf } from './carry-out.ts';
import type { ServedExport } from './served-export.ts';

export interface TransmissionParts {
  socket: Socket;
  queue: ByteQueue;
  outbox: Outbox;
  served: ServedExport;
  sizeBytes: bigint;
  log: Logger;
  /** Called when requests that had no room may have it now. */
  onRoom(): void;
  /** Called when the client has said that it leaves, or what comes is no request, and all that ran is answered. */
  onEnd(): void;
  /** Called whenever the last request that ran has ended. */
  onIdle(): void;
}

/** The requests of one connection. */
export class Transmission {
  readonly #parts: TransmissionParts;
  /** Begun, and waiting for room or for its data. */
  #next: RequestHead | undefined;
  #admitted = false;
  #running = 0;
  #leaving = false;
  readonly #wake = () => {
    this.#parts.socket.resume();
    this.#parts.onRoom();
  };

  constructor(parts: TransmissionParts) {
    this.#parts = parts;
  }

  get running(): number {
    return this.#running;
  }

  /** Starts what has come in, as far as there is room; the socket is not read while there is none. */
  pump(): void {
    while (!this.#leaving && !this.#parts.socket.destroyed) {
      this.#next ??= this.#parse();
      const request = this.#next;
      if (request === undefined || !this.#admit(request)) return;
      const data = request.command === command.WRITE ? this.#parts.queue.takeList(request.lengthBytes) : [];
      if (data === undefined) return;
      this.#next = undefined;
      this.#admitted = false;
      this.#start(request, data);
    }
  }

  /** The socket is gone: what waits for room or data will not be done. */
  abandon(): void {
    this.#leaving = true;
    const { inFlight } = this.#parts.served;
    inFlight.forget(this.#wake);
    if (this.#admitted && this.#next !== undefined) inFlight.give(costOf(this.#next));
    this.#next = undefined;
  }

  #parse(): RequestHead | undefined {
    const bytes = this.#parts.queue.takeHead(requestHeadBytes);
    if (bytes === undefined) return undefined;
    const request = parseRequest(bytes);
    // The data of a write that is too long would have to be taken in to find the next request behind it.
    const isEndless = request?.command === command.WRITE && request.lengthBytes > blockRequestBytesMax;
    if (request !== undefined && !isEndless && request.command !== command.DISC) return request;
    this.#leaving = true;
    this.#parts.socket.pause();
    if (this.#running === 0) this.#parts.onEnd();
    return undefined;
  }

  #admit(request: RequestHead): boolean {
    if (this.#admitted) return true;
    const { served, socket } = this.#parts;
    this.#admitted = served.inFlight.take(costOf(request));
    if (!this.#admitted) {
      socket.pause();
      served.inFlight.wait(this.#wake);
    }
    return this.#admitted;
  }

  #start(request: RequestHead, data: readonly Uint8Array[]): void {
    this.#running += 1;
    const refusal = refusalOf(request, this.#parts.sizeBytes);
    if (refusal !== undefined) {
      this.#answer(request, refusal, []);
      return;
    }
    carryOut(this.#parts.served.target, request, data).then(
      (read) => this.#answer(request, undefined, read),
      (error) => {
        this.#parts.log.debug({ err: error, command: request.command }, 'a block request failed');
        this.#answer(request, errnoOf(error), []);
      },
    );
  }

  /** A request has ended only when its answer has left: a client that does not read its answers is not read either. */
  #answer(request: RequestHead, errno: BlockErrno | undefined, data: readonly Uint8Array[]): void {
    const { outbox, socket } = this.#parts;
    if (socket.destroyed) {
      this.#ended(request);
      return;
    }
    const error = errno === undefined ? 0 : errorNumber(errno);
    const { cookieHigh, cookieLow } = request;
    outbox.send(encodeSimpleReply({ error, cookieHigh, cookieLow }), data, () => this.#ended(request));
  }

  #ended(request: RequestHead): void {
    this.#running -= 1;
    this.#parts.served.inFlight.give(costOf(request));
    if (this.#running > 0) return;
    if (this.#leaving) this.#parts.onEnd();
    this.#parts.onIdle();
  }
}

/** The bytes that a request makes us hold. Longer reads are refused without any. */
function costOf(request: RequestHead): number {
  if (request.command === command.WRITE) return request.lengthBytes;
  if (request.command !== command.READ || request.lengthBytes > blockRequestBytesMax) return 0;
  return request.lengthBytes;
}
