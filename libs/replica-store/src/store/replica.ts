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
 * What the operations on one replica share: the record as it is on disk, their queue, and which layers are being read. After an
 * operation has failed, the state on disk is unknown; the next operation reads the record again and settles pending steps before
 * anything else.
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

  /** @throws when no operation has read it yet; within an operation it is always set */
  get record(): ReplicaRecord {
    if (this.#record === undefined) throw replicaError('NOT_POSSIBLE_NOW', 'the record has not been read');
    return this.#record;
  }

  /** Ids of this store's readers; those of earlier stores are removed when the chain is opened. */
  readerId(): string {
    return `read${++this.#readers}`;
  }

  /**
   * Does not wait in the queue and interrupts no merge. Only the first call, and the first one after a failure, settles the
   * replica.
   */
  async known(o: Call): Promise<ReplicaRecord> {
    return this.#record ?? this.exclusive(o, async () => this.record);
  }

  /** Writes the next record and resolves to it once it is on disk. */
  async change(next: ReplicaRecord): Promise<ReplicaRecord> {
    if (next !== this.#record) await this.ports.folder.write(next);
    this.#record = next;
    return next;
  }

  /** Removes files that have become garbage and writes pending names into headers. */
  async tidy(o: Call): Promise<void> {
    await this.change(await tidy(this.ports, this.record, o));
  }

  /**
   * Runs one operation at a time. A new operation interrupts a running merge: a merge can take hours, while an engine waits for a
   * snapshot.
   */
  exclusive<T>(o: Call, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(o, async () => {
      this.#record ??= await settle(this.ports, await this.ports.folder.readPresent(), o);
      return work();
    });
  }

  /** For operations that run before there is a record. */
  making<T>(o: Call, work: (present: ReplicaRecord | undefined) => Promise<T>): Promise<T> {
    return this.#inTurn(o, async () => work(await this.ports.folder.read()));
  }

  /**
   * Runs one purge after the other: a second purge would otherwise interrupt the merge of the first one, only to begin it again.
   */
  async purging<T>(o: Call, work: () => Promise<T>): Promise<T> {
    const release = await this.#purgeTurn.take(o.signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Runs a part of an operation that other operations may interrupt. Resolves to false when one did. */
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
