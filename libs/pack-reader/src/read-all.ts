import type { WholePacks } from './cache/whole-packs.ts';
import { type FetchDeps, fetchRange } from './fetch-range.ts';
import { HandOut } from './hand-out.ts';
import type { FetchedSlices, PackSlice } from './pack-reader.ts';
import { nextRange, type PlannedRange, type RangeLimits } from './plan-ranges.ts';
import type { Lent, SharedMemory } from './shared-memory.ts';
import type { Waits } from './waits.ts';

export interface ReadAllDeps extends FetchDeps {
  packs: WholePacks;
  onCached(bytes: number): void;
  memory: SharedMemory;
  waits: Waits;
  /** As measured by now. */
  rangeLimits(): RangeLimits;
}

/** Ranges that are being fetched, or whose slices are in use; bounds the memory besides the bytes themselves. */
const rangesMax = 256;

/** See {@link PackReader.readAll}. */
export async function readAll<Slice extends PackSlice>(
  deps: ReadAllDeps,
  slices: readonly Slice[],
  take: (fetched: FetchedSlices<Slice>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const run = new ReadRun(deps, take, signal);
  deps.waits.runs(1);
  try {
    for (let at = 0; ; ) {
      await run.room();
      // Planned at the last moment, by what is known then.
      const range = nextRange(slices, at, deps.rangeLimits());
      if (range === undefined) break;
      at += range.slices.length;
      await run.begin(range);
    }
  } catch (error) {
    run.fail(error);
  } finally {
    await run.ended();
    deps.waits.runs(-1);
  }
  run.throwIfFailed();
}

class ReadRun<Slice extends PackSlice> {
  readonly #deps: ReadAllDeps;
  readonly #take: (fetched: FetchedSlices<Slice>) => Promise<void>;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  #fetching = 0;
  #failure: { error: unknown } | undefined;
  #roomLeft = Promise.withResolvers<void>();

  constructor(deps: ReadAllDeps, take: (fetched: FetchedSlices<Slice>) => Promise<void>, signal: AbortSignal) {
    this.#deps = deps;
    this.#take = take;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Resolves when one more range may begin. */
  async room(): Promise<void> {
    const { inFlight } = this.#deps;
    while (this.#fetching >= inFlight.inFlight || this.#running.size >= rangesMax) await this.#roomLeft.promise;
  }

  /** Resolves when the range has memory and is on its way. */
  async begin(range: PlannedRange<Slice>): Promise<void> {
    const { memory, waits } = this.#deps;
    const taking = memory.take(range.length, this.#signal);
    waits.look();
    const lent = await taking;
    const running = this.#read(range, lent).finally(() => {
      this.#running.delete(running);
      this.#makeRoom();
    });
    this.#running.add(running);
  }

  /** The first is what the whole ends with; no more is begun or fetched. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop.abort(error);
  }

  /** Never rejects. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #makeRoom(): void {
    this.#roomLeft.resolve();
    this.#roomLeft = Promise.withResolvers();
  }

  /** Never rejects. */
  async #read(range: PlannedRange<Slice>, lent: Lent): Promise<void> {
    const { waits } = this.#deps;
    const out = new HandOut(range, lent, (fetched) => this.#give(fetched));
    waits.fetching(lent.bytes.length);
    this.#fetching += 1;
    try {
      // Slices of no length are there at once.
      out.filled(0);
      await this.#fill(range, lent.bytes, (bytes) => out.filled(bytes));
      out.mustBeWhole();
    } catch (error) {
      this.fail(error);
    } finally {
      waits.fetching(-lent.bytes.length);
      this.#fetching -= 1;
      this.#makeRoom();
    }
    await out.done();
    waits.look();
  }

  async #fill(range: PlannedRange<Slice>, into: Uint8Array, onFilled: (bytes: number) => void): Promise<void> {
    const { packs, onCached } = this.#deps;
    if (!(await packs.readRange(range, into, this, this.#signal))) {
      return await fetchRange(this.#deps, range, into, onFilled, this.#signal);
    }
    onCached(range.length);
    onFilled(range.length);
  }

  async #give(fetched: FetchedSlices<Slice>): Promise<void> {
    this.#deps.waits.takes(1);
    try {
      this.#signal.throwIfAborted();
      await this.#take(fetched);
    } catch (error) {
      this.fail(error);
    } finally {
      this.#deps.waits.takes(-1);
    }
  }
}
