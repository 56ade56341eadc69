import type { TerminalPhase } from '@lateen/api-types';
import { Counter, type Registry } from 'prom-client';

/** The reference's names for how a movement ended (performance.md section 9). */
const results: Readonly<Record<TerminalPhase, string>> = {
  Completed: 'success',
  Failed: 'failure',
  Canceled: 'cancel',
};

/** Counts `podVolume_data_{upload,download}_{success,failure,cancel}_total` for this node; call it with each end. */
export function movementMetrics(registry: Registry, node: string): (words: string, phase: TerminalPhase) => void {
  const counters = new Map<string, Counter>();
  for (const words of ['data upload', 'data download']) {
    for (const [phase, result] of Object.entries(results)) {
      const counter = new Counter({
        name: `podVolume_${words.replace(' ', '_')}_${result}_total`,
        help: `Number of ${words}s of this node that ended as ${phase}`,
        labelNames: ['node'],
        registers: [registry],
      });
      counter.inc({ node }, 0);
      counters.set(`${words}/${phase}`, counter);
    }
  }
  return (words, phase) => counters.get(`${words}/${phase}`)?.inc({ node });
}
