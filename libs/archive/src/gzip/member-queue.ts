import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { AppError } from '@lateen/errors';

const inThreadPool: (plain: Uint8Array, options: { level: number; chunkSize: number }) => Promise<Uint8Array> =
  promisify(gzip);

/** What has no more is packed at once: that takes less than a round through the thread pool. */
const smallBytes = 64 * 1024;

const compressed = async (plain: Uint8Array, options: { level: number; chunkSize: number }): Promise<Uint8Array> =>
  plain.length <= smallBytes ? gzipSync(plain, { level: options.level }) : await inThreadPool(plain, options);

export interface MemberQueueOptions {
  /** Of zlib, 1 to 9. */
  level: number;
  /** Members that are being compressed, or wait to be read. */
  membersMax: number;
}

/** Output comes in chunks of so much; each is a round through the thread pool, and JSON packs to less than one. */
const chunkBytesOf = (plain: Uint8Array): number => Math.max(64 * 1024, Math.ceil(plain.length / 4));

/**
 * Compresses what is pushed in the thread pool, each push as a gzip member of its own, and hands the members out in order.
 * Whatever unpacks gzip takes members one after the other for one file (RFC 1952 section 2.2).
 */
export class MemberQueue {
  /** For one reader. Leaving the loop early fails the writer. */
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly #options: MemberQueueOptions;
  readonly #members: Promise<Uint8Array>[] = [];
  #state: { kind: 'open' | 'ended' } | { kind: 'failed'; reason: unknown } = { kind: 'open' };
  #compressedBytes = 0;
  /** Resolves when members, or the state, change. */
  #changed = Promise.withResolvers<void>();

  constructor(options: MemberQueueOptions) {
    this.#options = options;
    const iterator = { next: () => this.#next(), return: () => this.#leave() };
    this.pieces = { [Symbol.asyncIterator]: () => iterator };
  }

  get compressedBytes(): number {
    return this.#compressedBytes;
  }

  /**
   * Takes the bytes over; they must not change until `onPacked` is called, which may be never.
   * @returns a promise when as many members are under way as may be: it resolves when one has been read
   * @throws the reason of an abort, or ARCHIVE_READER_GONE
   */
  push(plain: Uint8Array, onPacked: () => void = () => {}): Promise<void> | undefined {
    this.#throwUnlessOpen();
    const member = compressed(plain, { level: this.#options.level, chunkSize: chunkBytesOf(plain) });
    // The reader gets the error; until it reads, the promise is not awaited.
    member.then(onPacked, (error: unknown) => this.abort(error));
    this.#members.push(member);
    this.#tell();
    return this.room();
  }

  /** As `push`, of what is under way already. */
  room(): Promise<void> | undefined {
    this.#throwUnlessOpen();
    const { membersMax } = this.#options;
    return this.#members.length <= membersMax ? undefined : handled(this.#untilAtMost(membersMax));
  }

  /** Resolves when the reader has everything. @throws as `push` */
  async end(): Promise<void> {
    if (this.#state.kind === 'open') this.#state = { kind: 'ended' };
    this.#tell();
    await this.#untilAtMost(0);
  }

  /** Reader and writer fail with `reason`. */
  abort(reason: unknown): void {
    if (this.#state.kind === 'failed') return;
    this.#state = { kind: 'failed', reason };
    this.#members.length = 0;
    this.#tell();
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#members.length === 0 && this.#state.kind === 'open') await this.#changed.promise;
    this.#throwIfFailed();
    const member = this.#members[0];
    if (member === undefined) return { done: true, value: undefined };
    const value = await member;
    this.#throwIfFailed();
    this.#members.shift();
    this.#compressedBytes += value.length;
    this.#tell();
    return { done: false, value };
  }

  async #leave(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#state.kind === 'open' || this.#members.length > 0) this.abort(readerGone());
    return { done: true, value: undefined };
  }

  async #untilAtMost(count: number): Promise<void> {
    while (this.#members.length > count) await this.#changed.promise;
    this.#throwIfFailed();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #throwIfFailed(): void {
    if (this.#state.kind === 'failed') throw this.#state.reason;
  }

  #throwUnlessOpen(): void {
    this.#throwIfFailed();
    if (this.#state.kind === 'ended') throw new TypeError('nothing can be written behind the end');
  }
}

const readerGone = (): AppError =>
  new AppError('ARCHIVE_READER_GONE', 'nobody reads any more what is being written', {
    nextStep: 'The error of the program that stores the archive says why.',
  });

/** A writer that has failed may not wait for what it was given; that must not end the process. */
export function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
