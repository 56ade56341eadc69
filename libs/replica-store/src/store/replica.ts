import { type Clock, type Logger, type Semaphore, semaphore } from '@lateen/kernel';
import type { ReplicaBlocks } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { replicaError } from '../replica-error.ts';
import { Pins } from './pins.ts';
import type { ReplicaFolder } from './replica-folder.ts';
import { type SettlePorts, settle, tidy } from './settle.ts';

export interface ReplicaPorts extends SettlePorts {
  readonly folder: ReplicaFolder;
  readonly blocks: ReplicaBlocks;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What the operations on one replica share: the record as it is on disk, their turn, and who reads which layer. An operation that
 * failed leaves it unsure what is there; the next one reads the record again and settles what is pending before anything else.
 */
export class Replica {
  readonly ports: ReplicaPorts;
  readonly pins = new Pins();
  readonly #turn: Semaphore;
  readonly #purgeTurn: Semaphore;
  #record: ReplicaRecord | undefined;
  #merging: AbortController | undefined;
  #readers = 0;

  constructor(ports: ReplicaPorts) {
    this.ports = ports;
    const full = () =>
      replicaError('NOT_POSSIBLE_NOW', `${replicaLimits.waitingMax} calls wait for ${ports.folder.identity.replica}`, {
        retry: 'later',
      });
    this.#turn = semaphore({ placesMax: 1, waitingMax: replicaLimits.waitingMax, full });
    this.#purgeTurn = semaphore({ placesMax: 1, waitingMax: replicaLimits.waitingMax, full });
  }

  /** @throws when no operation has read it; inside of one it is there */
  get record(): ReplicaRecord {
    if (this.#record === undefined) throw replicaError('NOT_POSSIBLE_NOW', 'the record has not been read');
    return this.#record;
  }

  /** Of this store; those of stores before it are gone when it is open. */
  readerId(): string {
    return `read${++this.#readers}`;
  }

  /** Asked without a turn, so that nobody is cut off for it; the first time, and after a failure, it is settled. */
  async known(o: Call): Promise<ReplicaRecord> {
    return this.#record ?? this.exclusive(o, async () => this.record);
  }

  /** The next record, once it is on disk. */
  async change(next: ReplicaRecord): Promise<ReplicaRecord> {
    if (next !== this.#record) await this.ports.folder.write(next);
    this.#record = next;
    return next;
  }

  /** Removes what has become garbage and names what has to be named. */
  async tidy(o: Call): Promise<void> {
    await this.change(await tidy(this.ports, this.record, o));
  }

  /** One operation at a time. A merge is cut off by whoever comes: it can take hours, and an engine is waiting for a snapshot. */
  exclusive<T>(o: Call, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(o, async () => {
      this.#record ??= await settle(this.ports, await this.ports.folder.readPresent(), o);
      return work();
    });
  }

  /** Before there is a record. */
  making<T>(o: Call, work: (present: ReplicaRecord | undefined) => Promise<T>): Promise<T> {
    return this.#inTurn(o, async () => work(await this.ports.folder.read()));
  }

  /** One purge after the other: a second one would cut off the first one's merge, to begin it again itself. */
  async purging<T>(o: Call, work: () => Promise<T>): Promise<T> {
    const release = await this.#purgeTurn.take(o.signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Runs a part of an operation that others may cut off. Resolves to false when they did. */
  async interruptible(o: Call, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const merging = new AbortController();
    this.#merging = merging;
    try {
      await work(AbortSignal.any([o.signal, merging.signal]));
      return true;
    } catch (error) {
      this.#record = undefined;
      if (!merging.signal.aborted || o.signal.aborted) throw error;
      return false;
    } finally {
      this.#merging = undefined;
    }
  }

  async #inTurn<T>(o: Call, work: () => Promise<T>): Promise<T> {
    this.#merging?.abort();
    const release = await this.#turn.take(o.signal);
    try {
      return await work();
    } catch (error) {
      this.#record = undefined;
      throw error;
    } finally {
      release();
    }
  }
}
