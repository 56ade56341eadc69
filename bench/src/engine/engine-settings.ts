import { ensureParts, silentProgress } from '@lateen/cluster';
import type { BenchRow } from '../bench-row.ts';
import { benchMovementBudget } from './movement-budget.ts';
import { benchSplitters } from './splitter-cost.ts';

/** What kopia's settings cost, and what a mover's small things do. */
export async function benchEngineSettings(options: {
  signal: AbortSignal;
  say(text: string): void;
}): Promise<BenchRow[]> {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  return [...(await benchMovementBudget(kopia, options)), ...(await benchSplitters(kopia, options))];
}
