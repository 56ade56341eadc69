import type { Socket } from 'node:net';
import {
  blockRangeError,
  blockRequestBytesMax,
  linkLost,
  replicaIoError,
  type StatusContext,
  type StatusExtent,
  type StatusLink,
  type WriteOptions,
  type ZeroOptions,
} from '@lateen/block-engine';
import { type AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { Outbox } from '../outbox.ts';
import { type ByteQueue, bytesIn } from '../wire/byte-queue.ts';
import { command, commandFlag, exportFlag } from '../wire/numbers.ts';
import { encodeRequest } from '../wire/requests.ts';
import type { Agreed } from './handshake.ts';
import { PendingRequests } from './pending-requests.ts';
import { ReplyStream } from './reply-stream.ts';

export interface LinkParts {
  socket: Socket;
  /** What has come in behind the handshake. */
  queue: ByteQueue;
  agreed: Agreed;
  clock: Clock;
  /** Where the replica is, for messages. */
  place: string;
}

/** What a request is besides its kind and its place. */
interface Request {
  command: number;
  flags?: number;
  /** The flag of the export without which the request cannot be made. */
  needs?: number;
  at?: bigint;
  lengthBytes?: number;
  data?: readonly Uint8Array[];
  contextId?: number;
}

/** What of an answer the caller gets. */
type Pick<T> = (data: readonly Uint8Array[], extents: readonly StatusExtent[]) => T;
const theData: Pick<readonly Uint8Array[]> = (data) => data;
const theExtents: Pick<readonly StatusExtent[]> = (_, extents) => extents;
const nothing: Pick<void> = () => {};

/** No answer covers more than this at once: a length on the wire has 32 bits. */
const statusBytesMax = 2 ** 30;

/** How many requests are under way is for its caller to bound; each holds its data until it is answered. */
export class NbdLink implements StatusLink {
  readonly sizeBytes: bigint;
  readonly contexts: readonly StatusContext[];
  readonly closed: Promise<AppError>;
  readonly #parts: LinkParts;
  readonly #outbox: Outbox;
  readonly #pending = new PendingRequests();
  readonly #replies: ReplyStream;
  readonly #tellClosed: (cause: AppError) => void;
  #ended: AppError | undefined;

  constructor(parts: LinkParts) {
    const { agreed, queue, socket } = parts;
    const closed = Promise.withResolvers<AppError>();
    this.#parts = parts;
    this.sizeBytes = agreed.sizeBytes;
    this.contexts = [...agreed.contexts.keys()];
    this.closed = closed.promise;
    this.#tellClosed = closed.resolve;
    this.#outbox = new Outbox(socket);
    this.#replies = new ReplyStream(queue, this.#pending, agreed.structured);
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#end(linkLost(`the connection to the replica at ${parts.place} broke`, error)));
    socket.on('end', () => this.#end(linkLost(`the replica at ${parts.place} has closed the connection`)));
    socket.on('close', () => this.#end(linkLost(`the connection to the replica at ${parts.place} is gone`)));
    socket.resume();
  }

  get oldestPendingMs(): number | undefined {
    const sentAtMs = this.#pending.oldestSentAtMs();
    return sentAtMs === undefined ? undefined : this.#parts.clock.monotonicMs() - sentAtMs;
  }

  read(at: bigint, lengthBytes: number): Promise<readonly Uint8Array[]> {
    return this.#ask({ command: command.READ, at, lengthBytes }, theData);
  }

  write(at: bigint, data: readonly Uint8Array[], o: WriteOptions = {}): Promise<void> {
    return this.#ask({ command: command.WRITE, flags: flagsOf(o), at, lengthBytes: bytesIn(data), data }, nothing);
  }

  zero(at: bigint, lengthBytes: number, o: ZeroOptions = {}): Promise<void> {
    const flags = flagsOf(o) | (o.unmap === true ? 0 : commandFlag.NO_HOLE);
    const needs = exportFlag.SEND_WRITE_ZEROES;
    return this.#ask({ command: command.WRITE_ZEROES, needs, flags, at, lengthBytes }, nothing);
  }

  trim(at: bigint, lengthBytes: number): Promise<void> {
    return this.#ask({ command: command.TRIM, needs: exportFlag.SEND_TRIM, at, lengthBytes }, nothing);
  }

  flush(): Promise<void> {
    return this.#ask({ command: command.FLUSH, needs: exportFlag.SEND_FLUSH }, nothing);
  }

  status(context: StatusContext, at: bigint, lengthBytes: number): Promise<readonly StatusExtent[]> {
    const contextId = this.#parts.agreed.contexts.get(context);
    if (contextId === undefined) return Promise.reject(blockRangeError(`this export has no ${context}`));
    const asked = Math.min(lengthBytes, statusBytesMax);
    return this.#ask({ command: command.BLOCK_STATUS, at, lengthBytes: asked, contextId }, theExtents);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended === undefined) {
      this.#send(0, { command: command.DISC });
      this.#end(linkLost('the link was closed by its owner'));
    }
  }

  #ask<T>(request: Request, pick: Pick<T>): Promise<T> {
    const refused = this.#ended ?? this.#refusalOf(request);
    if (refused !== undefined) return Promise.reject(refused);
    return new Promise((resolve, reject) => {
      const cookie = this.#pending.add({
        command: request.command,
        at: request.at ?? 0n,
        lengthBytes: request.lengthBytes ?? 0,
        sentAtMs: this.#parts.clock.monotonicMs(),
        contextId: request.contextId,
        parts: undefined,
        extents: undefined,
        error: 0,
        succeed: (data, extents) => resolve(pick(data, extents)),
        fail: reject,
      });
      this.#send(cookie, request);
    });
  }

  #send(cookie: number, { command, flags = 0, at = 0n, lengthBytes = 0, data }: Request): void {
    const cookieHigh = Math.floor(cookie / 2 ** 32);
    this.#outbox.send(encodeRequest({ flags, command, cookieHigh, cookieLow: cookie >>> 0, at, lengthBytes }), data);
  }

  /** What can be told without asking the replica. */
  #refusalOf({ command: kind, flags = 0, needs = 0, at, lengthBytes }: Request): AppError | undefined {
    const has = this.#parts.agreed.flags;
    const writes = kind === command.WRITE || kind === command.TRIM || kind === command.WRITE_ZEROES;
    if (writes && (has & exportFlag.READ_ONLY) !== 0) return replicaIoError('EPERM', 'this export is read-only');
    const wants = needs | ((flags & commandFlag.FUA) === 0 ? 0 : exportFlag.SEND_FUA);
    if ((has & wants) !== wants) return replicaIoError('ENOTSUP', 'this export does not take such requests');
    if (at === undefined || lengthBytes === undefined) return undefined;
    return outside(
      at,
      lengthBytes,
      kind === command.BLOCK_STATUS ? statusBytesMax : blockRequestBytesMax,
      this.sizeBytes,
    );
  }

  #take(bytes: Buffer): void {
    if (this.#ended !== undefined) return;
    try {
      this.#parts.queue.push(bytes);
      this.#replies.pump();
    } catch (error) {
      const why = isAppError(error, 'LINK_LOST') ? error.message : 'its answer could not be read';
      this.#end(linkLost(`the link to the replica at ${this.#parts.place} was cut: ${why}`, error));
    }
  }

  /** The first cause counts. Nothing is taken from the connection any more. */
  #end(cause: AppError): void {
    if (this.#ended !== undefined) return;
    this.#ended = cause;
    this.#parts.socket.destroy();
    this.#pending.failAll(cause);
    this.#tellClosed(cause);
  }
}

function flagsOf(o: WriteOptions): number {
  return o.fua === true ? commandFlag.FUA : 0;
}

function outside(at: bigint, lengthBytes: number, lengthMax: number, sizeBytes: bigint): AppError | undefined {
  if (!Number.isSafeInteger(lengthBytes) || lengthBytes < 1 || lengthBytes > lengthMax) {
    return blockRangeError(`a request of ${lengthBytes} bytes; it must be 1 to ${lengthMax}`);
  }
  if (at >= 0n && at + BigInt(lengthBytes) <= sizeBytes) return undefined;
  return blockRangeError(`${lengthBytes} bytes at ${at} are not within the ${sizeBytes} of the export`);
}
