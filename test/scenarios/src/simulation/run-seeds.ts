import { planOf } from './plan.ts';
import { simulate } from './simulation.ts';
import type { PlantedBug, SimulationResult } from './simulation-result.ts';

export interface SeedRange {
  from: number;
  seeds: number;
}

export interface SeedsSummary {
  seeds: number;
  /** The first {@link failuresMax} of them, in order. */
  failures: SimulationResult[];
  /** Number of movements by end, such as `DataUpload Completed`. */
  ends: Record<string, number>;
  simulatedMs: number;
}

/** A broken product fails in nearly every seed; this many failures say as much as all. */
export const failuresMax = 10;

const emptySummary = (): SeedsSummary => ({ seeds: 0, failures: [], ends: {}, simulatedMs: 0 });

/** Runs the seeds one after another; stops early after {@link failuresMax} failures. */
export async function runSeeds({ from, seeds }: SeedRange, bug?: PlantedBug): Promise<SeedsSummary> {
  const summary = emptySummary();
  for (let seed = from; seed < from + seeds && summary.failures.length < failuresMax; seed++) {
    const result = await simulate(planOf(seed), bug);
    summary.seeds += 1;
    summary.simulatedMs += result.lastedMs;
    for (const end of result.ends) summary.ends[end] = (summary.ends[end] ?? 0) + 1;
    if (result.violations.length > 0) summary.failures.push(result);
  }
  return summary;
}

const tailLines = 60;

/** What is needed to find the cause of a failed seed. */
export function failureText({ seed, violations, trace, hash }: SimulationResult): string {
  const tail = trace.slice(-tailLines);
  const left = trace.length - tail.length;
  return [
    `seed ${seed} breaks ${violations.length === 1 ? 'a rule' : `${violations.length} rules`} (trace ${hash}):`,
    ...violations.map((each) => `  - ${each}`),
    ...(left > 0 ? [`  … ${left} earlier lines`] : []),
    ...tail.map((line) => `  ${line}`),
    `replay it: npm run simulate -- --seed ${seed} --trace`,
  ].join('\n');
}
