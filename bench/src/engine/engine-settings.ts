import { ensureParts, silentProgress } from '@lateen/cluster';
import type { BenchRow } from '../bench-row.ts';
import { benchMovementBudget } from './movement-budget.ts';
import { benchSplitters } from './splitter-cost.ts';

/** The cost of kopia's settings, and of the small steps of a mover. */
export async function benchEngineSettings(options: {
  signal: AbortSignal;
  say(text: string): void;
}): Promise<BenchRow[]> {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  return [...(await benchMovementBudget(kopia, options)), ...(await benchSplitters(kopia, options))];
}
