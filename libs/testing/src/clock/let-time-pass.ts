import type { FakeClock } from './fake-clock.ts';
import { letWorkRun } from './let-work-run.ts';

/** Advances from one timer to the next until `work` has settled; resolves or rejects like `work`. */
export async function letTimePass<T>(work: Promise<T>, clock: FakeClock): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over) {
    await letWorkRun();
    if (!over && clock.nextDueInMs !== undefined) await clock.advance(clock.nextDueInMs);
  }
  return await work;
}
