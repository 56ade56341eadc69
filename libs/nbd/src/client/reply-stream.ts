import { linkLost, replicaIoError } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { ByteQueue } from '../wire/byte-queue.ts';
import { errorName } from '../wire/error-numbers.ts';
import { chunkFlagDone, command, magic } from '../wire/numbers.ts';
import { type ChunkHead, chunkHeadBytes, parseChunkHead, parseSimpleReply, simpleReplyBytes } from '../wire/replies.ts';
import { acceptChunk } from './accept-chunk.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';

/** Takes replies out of what has come in and settles the requests that they answer. */
export class ReplyStream {
  readonly #queue: ByteQueue;
  readonly #pending: PendingRequests;
  readonly #structured: boolean;
  /** A read whose data has not come whole. */
  #reading: { cookie: number; request: PendingRequest } | undefined;
  #chunk: { cookie: number; request: PendingRequest; head: ChunkHead } | undefined;

  constructor(queue: ByteQueue, pending: PendingRequests, structured: boolean) {
    this.#queue = queue;
    this.#pending = pending;
    this.#structured = structured;
  }

  /** Settles what can be settled. @throws AppError `LINK_LOST` for what is no reply to anything that was asked */
  pump(): void {
    while (this.#step());
  }

  #step(): boolean {
    if (this.#reading !== undefined) return this.#finishRead(this.#reading.cookie, this.#reading.request);
    if (this.#chunk !== undefined) return this.#finishChunk(this.#chunk);
    if (this.#structured && this.#queue.peekUint32() === magic.structuredReply) return this.#beginChunk();
    return this.#beginSimple();
  }

  #beginSimple(): boolean {
    const bytes = this.#queue.takeHead(simpleReplyBytes);
    if (bytes === undefined) return false;
    const reply = parseSimpleReply(bytes);
    if (reply === undefined) throw noReply('something else than a reply');
    const { cookie, request } = this.#find(reply.cookieHigh, reply.cookieLow);
    if (reply.error !== 0) {
      request.error = reply.error;
      return this.#settle(cookie, request, []);
    }
    if (request.command === command.READ || request.command === command.BLOCK_STATUS) {
      if (this.#structured) throw noReply('a simple reply to what has a structured one');
      this.#reading = { cookie, request };
      return true;
    }
    return this.#settle(cookie, request, []);
  }

  #finishRead(cookie: number, request: PendingRequest): boolean {
    const data = this.#queue.takeList(request.lengthBytes);
    if (data === undefined) return false;
    this.#reading = undefined;
    return this.#settle(cookie, request, data);
  }

  #beginChunk(): boolean {
    const bytes = this.#queue.takeHead(chunkHeadBytes);
    const head = bytes === undefined ? undefined : parseChunkHead(bytes);
    if (head === undefined) return false;
    this.#chunk = { head, ...this.#find(head.cookieHigh, head.cookieLow) };
    return true;
  }

  #finishChunk(current: { cookie: number; request: PendingRequest; head: ChunkHead }): boolean {
    const { cookie, request, head } = current;
    const accepted = acceptChunk(request, head, this.#queue);
    if (accepted === 'more') return false;
    if (accepted === 'bad') throw noReply(`a chunk of type ${head.type} with ${head.payloadBytes} bytes`);
    this.#chunk = undefined;
    if ((head.flags & chunkFlagDone) === 0) return true;
    return this.#settle(cookie, request, this.#readOf(request));
  }

  /** What the chunks of a reply make together. */
  #readOf(request: PendingRequest): readonly Uint8Array[] {
    if (request.error !== 0) return [];
    if (request.command === command.READ) {
      const joined = request.parts?.joined();
      if (joined === undefined) throw noReply('a read with parts missing');
      return joined;
    }
    if (request.command === command.BLOCK_STATUS && request.extents === undefined) throw noReply('no status');
    return [];
  }

  #find(high: number, low: number): { cookie: number; request: PendingRequest } {
    const cookie = high * 2 ** 32 + low;
    const request = this.#pending.get(cookie);
    if (request === undefined) throw noReply('a reply to a request that is not under way');
    return { cookie, request };
  }

  #settle(cookie: number, request: PendingRequest, data: readonly Uint8Array[]): boolean {
    const errno = request.error === 0 ? undefined : errorName(request.error);
    if (errno === 'ESHUTDOWN') throw linkLost('it is shutting down');
    this.#pending.remove(cookie);
    if (errno === undefined) request.succeed(data, request.extents ?? []);
    else request.fail(replicaIoError(errno, `the replica answered ${errno}`));
    return true;
  }
}

function noReply(what: string): AppError {
  return linkLost(`its answer is not NBD: ${what}`);
}
