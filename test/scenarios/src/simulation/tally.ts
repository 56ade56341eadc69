import { failuresMax, type SeedRange } from './run-seeds.ts';
import { type SubjectName, subjects } from './subject.ts';

/** The results of many seeds; sent from one process to another. */
export interface Tally {
  seeds: number;
  /** The first {@link failuresMax} of them, in order. */
  failures: { seed: number; text: string }[];
  /** Number of operations by end. */
  ends: Record<string, number>;
  simulatedMs: number;
}

export const emptyTally = (): Tally => ({ seeds: 0, failures: [], ends: {}, simulatedMs: 0 });

/** Runs the seeds one after another; stops early after {@link failuresMax} failures. */
export async function tally(subject: SubjectName, { from, seeds }: SeedRange): Promise<Tally> {
  const sum = emptyTally();
  for (let seed = from; seed < from + seeds && sum.failures.length < failuresMax; seed++) {
    const { failure, ends, lastedMs } = await subjects[subject](seed, { isTraced: false });
    sum.seeds += 1;
    sum.simulatedMs += lastedMs;
    for (const end of ends) sum.ends[end] = (sum.ends[end] ?? 0) + 1;
    if (failure !== undefined) sum.failures.push({ seed, text: failure });
  }
  return sum;
}

export function joined(a: Tally, b: Tally): Tally {
  const ends = { ...a.ends };
  for (const [end, count] of Object.entries(b.ends)) ends[end] = (ends[end] ?? 0) + count;
  return {
    seeds: a.seeds + b.seeds,
    failures: [...a.failures, ...b.failures].sort((x, y) => x.seed - y.seed).slice(0, failuresMax),
    ends,
    simulatedMs: a.simulatedMs + b.simulatedMs,
  };
}
