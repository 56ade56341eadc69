import type { ReplicaLink } from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import { orAborted, retry, type Semaphore, semaphore } from '@lateen/kernel';
import type { Core } from './core.ts';
import type { SentFlight } from './flight.ts';
import type { Entrant } from './gate.ts';
import type { LockedArea } from './overlap-locks.ts';
import type { Comparison } from './replica-set.ts';
import type { Asked } from './verdict.ts';

type Bytes = readonly Uint8Array[];

/**
 * Makes one area equal on all replicas, with the primary's data, and returns that data. The area is not written meanwhile, and nothing is returned
 * while a failure is unrecorded: a replica that has left with other data may be the next one that is read.
 */
class Equalising implements SentFlight {
  waiting = 0;
  isSent = false;
  refusal: AppError | undefined;
  readonly #core: Core;
  readonly #primary: string;
  readonly #at: number;
  readonly #length: number;
  readonly #then: (data: Bytes) => void;
  readonly #read = new Map<ReplicaLink, Buffer>();
  #lock: LockedArea | undefined;
  #equal: Buffer | undefined;
  #step: 'reading' | 'writing' = 'reading';

  constructor(o: { core: Core; primary: string; at: number; length: number; then: (data: Bytes) => void }) {
    this.#core = o.core;
    this.#primary = o.primary;
    this.#at = o.at;
    this.#length = o.length;
    this.#then = o.then;
  }

  get asked(): Asked {
    return this.#step === 'reading' ? 'read' : 'change';
  }

  begin(): void {
    const { flights, locks } = this.#core;
    flights.add(this);
    this.#lock = locks.acquire(this.#at, this.#at + this.#length, () => this.#readAll());
  }

  settle(): void {
    if (this.#core.over !== undefined) return;
    if (this.#step === 'reading') this.#writeDiffering();
    else if (this.refusal !== undefined) this.#again();
    else if (!this.#core.hold.isHolding) this.#finish();
  }

  end(): void {}

  /** This replica was the last one that differed, and had no space for the data of a replica that has failed meanwhile: its own data counts now. */
  #again(): void {
    this.refusal = undefined;
    this.#step = 'reading';
    this.isSent = false;
    this.#read.clear();
    this.#readAll();
  }

  #readAll(): void {
    const keep = async (link: ReplicaLink) =>
      void this.#read.set(link, Buffer.concat(await link.read(BigInt(this.#at), this.#length)));
    this.#core.fanOut(this, keep);
  }

  #writeDiffering(): void {
    this.#step = 'writing';
    const { members } = this.#core;
    const byName = [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
    const source = byName.find(({ name }) => name === this.#primary) ?? byName[0];
    const right = source && this.#read.get(source.link);
    if (right === undefined) return;
    this.#equal = right;
    const differing = members.filter(({ link }) => this.#read.get(link)?.equals(right) !== true);
    this.#core.fanOut(this, (link) => link.write(BigInt(this.#at), [right]), differing);
  }

  #finish(): void {
    const { flights, locks } = this.#core;
    if (!flights.delete(this)) return;
    if (this.#lock !== undefined) locks.release(this.#lock);
    if (this.#equal !== undefined) this.#then([this.#equal]);
  }
}

/** Runs after an engine that did not end cleanly: compares the areas in which replicas may differ, from the beginning of the volume to its end. */
export class Comparing {
  readonly #core: Core;
  readonly #comparison: Comparison;
  /** Limits the pieces whose data from all replicas is held at once; the front end's limits do not count these bytes. */
  readonly #places: Semaphore;
  /** Everything before this offset is equal. */
  #doneUntil = 0;

  constructor(core: Core, comparison: Comparison) {
    this.#core = core;
    this.#comparison = comparison;
    const { comparedAtOnceMax: placesMax, requestsMax } = core.limits;
    // One place for each request of the front end and one for the comparison itself, so this limit is never reached.
    const full = () => new AppError('COMPARISON_FULL', 'too many reads wait for the comparison', { retry: 'soon' });
    this.#places = semaphore({ placesMax, waitingMax: requestsMax + 1, full });
  }

  isOpen(end: number): boolean {
    return end > this.#doneUntil;
  }

  /** For a read of an area that is not compared yet: data that was returned once does not change later, whichever replica fails next. */
  read(at: number, length: number, then: (data: Bytes) => void): void {
    void this.#read(at, length).then(then, (error) => this.#core.end(error));
  }

  async #read(at: number, length: number): Promise<Bytes> {
    const { compareBytes } = this.#core.limits;
    const read: Uint8Array[] = [];
    for (let done = 0; done < length; done += compareBytes)
      read.push(...(await this.#equal(at + done, Math.min(compareBytes, length - done))));
    return read;
  }

  async #equal(at: number, length: number): Promise<Bytes> {
    const core = this.#core;
    const release = await this.#places.take(core.overSignal);
    try {
      const { primary } = this.#comparison;
      const equal = new Promise<Bytes>((then) => new Equalising({ core, primary, at, length, then }).begin());
      return await orAborted(equal, core.overSignal);
    } finally {
      release();
    }
  }

  /** Rejects when the set is over. */
  async run(): Promise<void> {
    const { clock, random, log } = this.#core.options;
    const { compareAgainFirstMs: firstMs, compareAgainMaxMs: maxMs } = this.#core.limits;
    const policy = {
      backoff: { firstMs, maxMs, factor: 2, jitter: 0.2 },
      mayRetry: () => this.#core.over === undefined,
      onRetry: ({ error }: { error: unknown }) => log.warn({ err: error }, 'the comparison of replicas begins again'),
    };
    await retry({ clock, random }, policy, () => this.#extents(), this.#core.overSignal);
  }

  async #extents(): Promise<void> {
    for await (const { startBytes, lengthBytes } of this.#comparison.extents()) {
      const end = Math.min(Number(startBytes + lengthBytes), this.#core.sizeBytes);
      let at = Math.max(Number(startBytes), this.#doneUntil);
      while (at < end) {
        const length = Math.min(this.#core.limits.compareBytes, end - at);
        await this.#piece(at, length);
        at += length;
        this.#doneUntil = at;
      }
    }
  }

  #piece(at: number, bytes: number): Promise<void> {
    const core = this.#core;
    const done = new Promise<void>((resolve, reject) => {
      const piece: Entrant = {
        bytes,
        start: () =>
          this.read(at, bytes, () => {
            core.gate.leave(bytes);
            resolve();
          }),
        end: (error: AppError) => reject(error),
      };
      core.gate.enter(piece);
    });
    return orAborted(done, core.overSignal);
  }
}
