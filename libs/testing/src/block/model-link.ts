import { linkLost, type ReplicaLink, replicaIoError, type ZeroOptions } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { ModelReplica } from './model-replica.ts';

interface Request {
  readonly sinceMs: number;
  readonly at: number;
  readonly length: number;
  readonly isChange: boolean;
  reject(error: unknown): void;
}

/** A disk writes whole sectors; this is the sector size of a simulation in bytes. */
const partBytes = 4;

/** One connection to a {@link ModelReplica}: requests and responses arrive later, in any order, or never. */
export class ModelLink implements ReplicaLink {
  readonly sizeBytes: bigint;
  readonly closed: Promise<AppError>;
  readonly #replica: ModelReplica;
  readonly #later: (deliver: () => void) => void;
  readonly #requests = new Set<Request>();
  readonly #close: (error: AppError) => void;
  /** This side knows that the connection has ended. */
  #isOver = false;
  /** The other side processes no more requests. */
  #isCut = false;

  constructor(replica: ModelReplica, later: (deliver: () => void) => void) {
    this.#replica = replica;
    this.#later = later;
    this.sizeBytes = BigInt(replica.options.sizeBytes);
    const closed = Promise.withResolvers<AppError>();
    this.closed = closed.promise;
    this.#close = closed.resolve;
  }

  get oldestPendingMs(): number | undefined {
    let since: number | undefined;
    for (const { sinceMs } of this.#requests) since = Math.min(since ?? sinceMs, sinceMs);
    return since === undefined ? undefined : this.#replica.options.clock.monotonicMs() - since;
  }

  get pending(): number {
    return this.#requests.size;
  }

  read(at: bigint, length: number): Promise<readonly Uint8Array[]> {
    return this.#request(Number(at), length, false, () => [this.#replica.readBytes(Number(at), length)]);
  }

  write(at: bigint, data: readonly Uint8Array[], o?: { fua?: boolean }): Promise<void> {
    const bytes = data.length === 1 && data[0] !== undefined ? data[0] : Buffer.concat(data);
    return this.#request(Number(at), bytes.length, true, () => this.#write(Number(at), bytes, o?.fua === true));
  }

  zero(at: bigint, length: number, o?: ZeroOptions): Promise<void> {
    return this.#request(Number(at), length, true, () =>
      this.#write(Number(at), new Uint8Array(length), o?.fua === true),
    );
  }

  trim(at: bigint, length: number): Promise<void> {
    return this.#request(Number(at), length, true, () => this.#replica.discardBytes(Number(at), length));
  }

  flush(): Promise<void> {
    return this.#request(0, 0, false, () => {
      this.#mayHaveNoRoom();
      this.#replica.flush();
    });
  }

  /** @throws ENOSPC when the replica is full, after a part of the bytes */
  #write(at: number, bytes: Uint8Array, isDurable: boolean): void {
    try {
      this.#mayHaveNoRoom();
    } catch (error) {
      const part = Math.floor((this.#replica.options.chance() * bytes.length) / partBytes) * partBytes;
      if (part > 0) this.#replica.writeBytes(at, bytes.subarray(0, part), isDurable);
      throw error;
    }
    this.#replica.writeBytes(at, bytes, isDurable);
  }

  #mayHaveNoRoom(): void {
    const { isFull, name, options } = this.#replica;
    if (isFull && options.chance() < 0.7) throw replicaIoError('ENOSPC', `no space left on the disk of ${name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end(linkLost(`the link to ${this.#replica.name} was closed`));
    this.#later(() => this.#leave());
  }

  /** The other side ends the connection: requests that have not arrived are not processed. This side learns of it later. */
  cut(): void {
    this.#leave();
    this.#later(() => this.#end(linkLost(`the connection to ${this.#replica.name} broke`)));
  }

  #leave(): void {
    this.#isCut = true;
    this.#replica.links.delete(this);
  }

  #end(error: AppError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const { reject } of this.#requests) reject(error);
    this.#requests.clear();
    this.#close(error);
  }

  #request<T>(at: number, length: number, isChange: boolean, carryOut: () => T): Promise<T> {
    const { options } = this.#replica;
    return new Promise<T>((resolve, reject) => {
      if (this.#isOver) return reject(linkLost(`the link to ${options.name} is over`));
      const request: Request = { sinceMs: options.clock.monotonicMs(), at, length, isChange, reject };
      if (isChange) this.#checkOverlap(request);
      this.#requests.add(request);
      this.#later(() => {
        if (this.#isCut || this.#replica.isHung) return;
        let error: unknown = this.#replica.nextError;
        this.#replica.nextError = undefined;
        const held = this.#replica.nextAnswer;
        this.#replica.nextAnswer = undefined;
        let carried: T | undefined;
        try {
          if (error === undefined) carried = carryOut();
        } catch (refused) {
          error = refused;
        }
        const answer = () =>
          this.#later(() => {
            if (!this.#requests.delete(request)) return;
            if (error === undefined) resolve(carried as T);
            else reject(error);
          });
        if (held === undefined) answer();
        else void held.then(answer);
      });
    });
  }

  #checkOverlap({ at, length }: Request): void {
    for (const other of this.#requests) {
      if (other.isChange && other.at < at + length && at < other.at + other.length)
        this.#replica.options.violated?.(
          `${this.#replica.name} has two changes of ${at}-${at + length} and ${other.at}-${other.at + other.length} at once`,
        );
    }
  }
}
