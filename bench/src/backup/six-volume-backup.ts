import { deleteNamespace } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { type Clock, systemRandom } from '@lateen/kernel';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { createSixVolumes, fillSixVolumes } from '../six-volumes/workload.ts';
import { runBackup, runRestore } from './run-to-end.ts';

const runs = 3;
const allowedMs = { first: 18_000, again: 10_000, restore: 18_000 } as const;
type Step = keyof typeof allowedMs;

/**
 * A Backup with data movement of the six volumes of the comparison, a second one without changes, and a Restore of the deleted volumes;
 * medians.
 */
export async function benchSixVolumeBackup(
  lateen: RunningLateen,
  { clock, signal, say }: { clock: Clock; signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  const times: Record<Step, number[]> = { first: [], again: [], restore: [] };
  for (let run = 0; run < runs; run++) {
    const namespace = `bench-${systemRandom.suffix(5)}`;
    try {
      const context = { lateen, clock, namespace, signal };
      await createSixVolumes(context, { dynamic: false });
      await fillSixVolumes(context);
      const spec = { includedNamespaces: [namespace], snapshotMoveData: true, ttl: '1h0m0s' };
      times.first.push((await runBackup(context, `${namespace}-first`, spec)).ms);
      times.again.push((await runBackup(context, `${namespace}-again`, spec)).ms);
      await deleteNamespace(lateen.kube, namespace, clock, signal);
      const back = { backupName: `${namespace}-again`, includedNamespaces: [namespace] };
      times.restore.push((await runRestore(context, `${namespace}-back`, back)).ms);
    } finally {
      await deleteNamespace(lateen.kube, namespace, clock, new AbortController().signal);
    }
    const last = Object.entries(times).map(([step, all]) => `${step} ${Math.round(all.at(-1) ?? 0)} ms`);
    say(`  run ${run}: ${last.join(', ')}`);
  }
  const row = (name: string, step: Step, reference: number): BenchRow => {
    const ms = median(times[step]);
    const target = `under ${allowedMs[step] / 1000} s (reference ${reference} s)`;
    const all = times[step].map((each) => (each / 1000).toFixed(1)).join(', ');
    return { name, value: ms, unit: 'ms', target, reached: ms < allowedMs[step], note: `all: ${all} s` };
  };
  return [
    row('Backup with data movement, 6 volumes (612 MB + 5 × 12.5 MB)', 'first', 98),
    row('the same Backup again, unchanged', 'again', 76),
    row('Restore of it into a namespace that was deleted', 'restore', 95),
  ];
}
