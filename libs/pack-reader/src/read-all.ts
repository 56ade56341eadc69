import type { Places } from '@lateen/kernel';
import { type FetchDeps, fetchRange } from './fetch-range.ts';
import { HandOut } from './hand-out.ts';
import type { FetchedSlices, PackSlice } from './pack-reader.ts';
import { nextRange, type PlannedRange, type RangeLimits } from './plan-ranges.ts';
import type { Lent, SharedMemory } from './shared-memory.ts';

export interface ReadAllDeps extends FetchDeps {
  memory: SharedMemory;
  /** For requests in flight. */
  places: Places;
  /** As measured by now. */
  rangeLimits(): RangeLimits;
}

/** Ranges that are fetched, or whose slices somebody has; bounds what is held beside the bytes themselves. */
const rangesMax = 512;

/** See {@link PackReader.readAll}. */
export async function readAll<Slice extends PackSlice>(
  deps: ReadAllDeps,
  slices: readonly Slice[],
  take: (fetched: FetchedSlices<Slice>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const run = new ReadRun(deps, take, signal);
  try {
    for (let at = 0; ; ) {
      const range = nextRange(slices, at, deps.rangeLimits());
      if (range === undefined) break;
      at += range.slices.length;
      await run.begin(range);
    }
  } catch (error) {
    run.fail(error);
  }
  await run.end();
}

class ReadRun<Slice extends PackSlice> {
  readonly #deps: ReadAllDeps;
  readonly #take: (fetched: FetchedSlices<Slice>) => Promise<void>;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(deps: ReadAllDeps, take: (fetched: FetchedSlices<Slice>) => Promise<void>, signal: AbortSignal) {
    this.#deps = deps;
    this.#take = take;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Resolves when the range is on its way and the next one may begin. */
  async begin(range: PlannedRange<Slice>): Promise<void> {
    if (this.#running.size >= rangesMax) await Promise.race(this.#running);
    const memory = await this.#deps.memory.take(range.length, this.#signal);
    const key = nextKey();
    try {
      await this.#deps.places.take(key, undefined, this.#signal);
    } catch (error) {
      memory.free();
      throw error;
    }
    const running = this.#read(range, memory, () => this.#deps.places.release(key)).finally(() =>
      this.#running.delete(running),
    );
    this.#running.add(running);
  }

  /** The first is what the whole ends with; no more is begun or fetched. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop.abort(error);
  }

  /** @throws the first failure, when nothing runs any more */
  async end(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Never rejects. */
  async #read(range: PlannedRange<Slice>, memory: Lent, leave: () => void): Promise<void> {
    const out = new HandOut(range, memory, (fetched) => this.#give(fetched));
    try {
      // Slices of no length are there at once.
      out.filled(0);
      await fetchRange(this.#deps, range, memory.bytes, (bytes) => out.filled(bytes), this.#signal);
    } catch (error) {
      this.fail(error);
    } finally {
      leave();
    }
    await out.done();
  }

  async #give(fetched: FetchedSlices<Slice>): Promise<void> {
    try {
      this.#signal.throwIfAborted();
      await this.#take(fetched);
    } catch (error) {
      this.fail(error);
    }
  }
}

let keys = 0;
const nextKey = (): string => String(keys++);
