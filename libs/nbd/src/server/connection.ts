import type { Socket } from 'node:net';
import { type Clock, type Logger, unlessAborted } from '@lateen/kernel';
import { Outbox } from '../outbox.ts';
import { ByteQueue } from '../wire/byte-queue.ts';
import { handshakeFlag } from '../wire/numbers.ts';
import { encodeGreeting } from '../wire/options.ts';
import { type Negotiated, Negotiation } from './negotiation.ts';
import type { ExportUser, ServedExport } from './served-export.ts';
import { Transmission } from './transmission.ts';

export interface ConnectionParts {
  socket: Socket;
  find(name: string): ServedExport | undefined;
  list(): readonly string[] | undefined;
  clock: Clock;
  log: Logger;
  handshakeMs: number;
}

/** One client, from the greeting to its last answer. */
export class Connection implements ExportUser {
  readonly ended: Promise<void>;
  readonly #parts: ConnectionParts;
  readonly #queue = new ByteQueue();
  readonly #outbox: Outbox;
  readonly #negotiation: Negotiation;
  readonly #handshaken = new AbortController();
  #transmission: Transmission | undefined;
  #settle: () => void;
  #closed = false;

  constructor(parts: ConnectionParts) {
    const { socket } = parts;
    const ended = Promise.withResolvers<void>();
    this.#parts = parts;
    this.ended = ended.promise;
    this.#settle = ended.resolve;
    this.#outbox = new Outbox(socket);
    const send = (bytes: Uint8Array) => this.#outbox.send(bytes);
    this.#negotiation = new Negotiation({ send, find: parts.find, list: parts.list });
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => parts.log.debug({ err: error }, 'a block client was lost'));
    socket.on('close', () => this.#close());
    send(encodeGreeting(handshakeFlag.FIXED_NEWSTYLE | handshakeFlag.NO_ZEROES));
    void this.#limitHandshake();
  }

  cut(): void {
    this.#parts.socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#queue.push(bytes);
    this.#pump();
  }

  /** Called from event handlers, whose errors no caller could catch. */
  #pump(): void {
    try {
      if (this.#transmission === undefined) this.#negotiate();
      this.#transmission?.pump();
    } catch (error) {
      this.#parts.log.error({ err: error }, 'a block connection was cut: its bytes could not be read');
      this.cut();
    }
  }

  #negotiate(): void {
    const negotiated = this.#negotiation.pump(this.#queue);
    if (negotiated === 'end') this.#leave();
    else if (negotiated !== undefined) this.#transmit(negotiated);
  }

  #transmit({ served, sizeBytes }: Exclude<Negotiated, 'end'>): void {
    this.#handshaken.abort();
    this.#transmission = new Transmission({
      socket: this.#parts.socket,
      queue: this.#queue,
      outbox: this.#outbox,
      served,
      sizeBytes,
      log: this.#parts.log,
      onRoom: () => this.#pump(),
      onEnd: () => this.#leave(),
      onIdle: () => this.#endWhenQuiet(),
    });
    served.add(this);
  }

  /** What was answered still goes out. */
  #leave(): void {
    this.#parts.socket.pause();
    this.#parts.socket.destroySoon();
  }

  async #limitHandshake(): Promise<void> {
    const { clock, handshakeMs } = this.#parts;
    const isLate = clock.sleep(handshakeMs, this.#handshaken.signal).then(() => true);
    if ((await unlessAborted(isLate, this.#handshaken.signal)) === true) this.cut();
  }

  #close(): void {
    this.#closed = true;
    this.#handshaken.abort();
    this.#transmission?.abandon();
    this.#endWhenQuiet();
  }

  #endWhenQuiet(): void {
    if (this.#closed && (this.#transmission?.running ?? 0) === 0) this.#settle();
  }
}
