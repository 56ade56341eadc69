import { createConnection, type Socket } from 'node:net';
import { AppError } from '@lateen/errors';
import { type Clock, orAborted } from '@lateen/kernel';
import { MessageLines } from './message-lines.ts';
import { PendingCommands } from './pending-commands.ts';
import { type ExecuteOptions, type QmpArguments, type QmpConnection, type QmpLimits, qmpLimits } from './qmp.ts';
import { type QemuVersion, type QmpEvent, readMessage } from './qmp-message.ts';
import { refuseFuseExport } from './refuse-fuse-export.ts';

export interface ConnectQmpOptions {
  /** Unix socket of the monitor. */
  path: string;
  clock: Clock;
  signal?: AbortSignal | undefined;
  limits?: Partial<QmpLimits>;
  /** What the process said last, asked once when the connection has ended. Without it the error knows the connection only. */
  lastWords?: () => Promise<AppError>;
}

/**
 * Connects, waits for the greeting and takes part in the protocol.
 * @throws QMP_NOT_REACHABLE (no process listens there yet), QMP_SILENT (another client has the monitor), QMP_PROTOCOL
 */
export async function connectQmp(options: ConnectQmpOptions): Promise<QmpConnection> {
  const connection = new Connection(options);
  try {
    await connection.ready(options.signal);
    return connection;
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

class Connection implements QmpConnection {
  version: QemuVersion = { major: 0, minor: 0, micro: 0, package: '' };
  readonly closed: Promise<AppError>;
  readonly #socket: Socket;
  readonly #limits: QmpLimits;
  readonly #clock: Clock;
  readonly #pending: PendingCommands;
  readonly #listeners = new Set<(event: QmpEvent) => void>();
  readonly #greeting = Promise.withResolvers<QemuVersion>();
  #reached = false;
  #left = false;

  constructor({ path, clock, limits, lastWords }: ConnectQmpOptions) {
    this.#clock = clock;
    this.#limits = { ...qmpLimits, ...limits };
    this.#pending = new PendingCommands(this.#limits.pendingMax);
    this.#socket = createConnection({ path });
    this.closed = this.#follow(lastWords);
    void this.closed.then((error) => {
      this.#greeting.reject(error);
      this.#pending.end(error);
      this.#listeners.clear();
    });
    // The promise may not be awaited.
    this.#greeting.promise.catch(() => {});
  }

  async ready(signal: AbortSignal | undefined): Promise<void> {
    const late = this.#clock.deadline(this.#limits.greetingMs);
    this.version = await this.#untilLate(this.#greeting.promise, late, signal, 'no greeting');
    await this.execute('qmp_capabilities', {}, { signal });
  }

  async execute(command: string, args: QmpArguments = {}, { signal, secrets = [] }: ExecuteOptions = {}) {
    refuseFuseExport(command, args);
    signal?.throwIfAborted();
    const { id, answer } = this.#pending.add(command, secrets);
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    const late = this.#clock.deadline(this.#limits.commandMs);
    return this.#untilLate(answer, late, signal, `no answer to ${command}`);
  }

  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#left = true;
    this.#socket.destroy();
    await this.closed;
  }

  /** Resolves with why it has ended. */
  #follow(lastWords: (() => Promise<AppError>) | undefined): Promise<AppError> {
    const lines = new MessageLines(this.#limits.messageBytesMax);
    let cause: unknown;
    this.#socket.on('connect', () => {
      this.#reached = true;
    });
    this.#socket.on('data', (chunk) => {
      try {
        for (const line of lines.push(chunk)) this.#take(line);
      } catch (error) {
        this.#socket.destroy(error as Error);
      }
    });
    // The daemon's end; ours would follow by itself, `end` would wait for what is not written yet.
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('error', (error) => {
      cause = error;
    });
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve(this.#whyEnded(cause, lastWords)));
    });
  }

  async #whyEnded(cause: unknown, lastWords: (() => Promise<AppError>) | undefined): Promise<AppError> {
    if (cause instanceof AppError) return cause;
    if (this.#left) return new AppError('QMP_CLOSED', 'the connection to the storage daemon was closed on our side');
    if (!this.#reached)
      return new AppError('QMP_NOT_REACHABLE', 'the storage daemon does not listen on its monitor', {
        cause,
        retry: 'soon',
      });
    const unknown = new AppError('STORAGE_DAEMON_ENDED', 'the storage daemon has closed its monitor', { cause });
    const late = this.#clock.deadline(this.#limits.lastWordsMs);
    return lastWords === undefined ? unknown : orAborted(lastWords(), late).catch(() => unknown);
  }

  #take(line: string): void {
    const message = readMessage(line);
    if (message.kind === 'greeting') this.#greeting.resolve(message.version);
    else if (message.kind === 'event') for (const listener of this.#listeners) listener(message.event);
    else this.#pending.settle(message);
  }

  async #untilLate<T>(promise: Promise<T>, late: AbortSignal, signal: AbortSignal | undefined, what: string) {
    try {
      return await orAborted(promise, signal === undefined ? late : AbortSignal.any([late, signal]));
    } catch (error) {
      if (error !== late.reason || signal?.aborted) throw error;
      throw new AppError('QMP_SILENT', `${what} from the storage daemon in time`, {
        cause: error,
        retry: 'later',
        nextStep: 'Its disk may hang: check the kernel log of the node. A monitor serves one client at a time.',
      });
    }
  }
}
