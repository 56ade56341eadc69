import type { Area, DataRun } from './area.ts';

/**
 * Where two files may differ, from what each has: areas that have data in one of them at least, without those that both have at the
 * same place on the disk. Ascending, not merged. Holds one run of each.
 */
export async function* unsharedAreas(one: AsyncIterable<DataRun>, other: AsyncIterable<DataRun>): AsyncGenerator<Area> {
  await using a = new Head(one);
  await using b = new Head(other);
  for (;;) {
    const runA = await a.run();
    const runB = await b.run();
    if (runA === undefined && runB === undefined) return;
    const start = Math.min(runA?.startBytes ?? Infinity, runB?.startBytes ?? Infinity);
    const inA = runA?.startBytes === start ? runA : undefined;
    const inB = runB?.startBytes === start ? runB : undefined;
    const end = Math.min(inA?.endBytes ?? runA?.startBytes ?? Infinity, inB?.endBytes ?? runB?.startBytes ?? Infinity);
    const isShared = inA?.home !== undefined && inA.home === inB?.home;
    if (!isShared) yield { startBytes: start, endBytes: end };
    if (inA !== undefined) a.dropUntil(end);
    if (inB !== undefined) b.dropUntil(end);
  }
}

/** The run that is looked at, of which parts are used up from the left. */
class Head implements AsyncDisposable {
  readonly #runs: AsyncIterator<DataRun>;
  #run: DataRun | undefined;
  #isOver = false;

  constructor(runs: AsyncIterable<DataRun>) {
    this.#runs = runs[Symbol.asyncIterator]();
  }

  async run(): Promise<DataRun | undefined> {
    if (this.#run === undefined && !this.#isOver) {
      const next = await this.#runs.next();
      if (next.done === true) this.#isOver = true;
      else this.#run = next.value;
    }
    return this.#run;
  }

  dropUntil(end: number): void {
    const run = this.#run;
    if (run === undefined || end >= run.endBytes) this.#run = undefined;
    else {
      const home = run.home === undefined ? undefined : run.home + end - run.startBytes;
      this.#run = { startBytes: end, endBytes: run.endBytes, home };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runs.return?.();
  }
}
