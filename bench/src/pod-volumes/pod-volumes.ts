import { deleteNamespace } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { type Clock, systemRandom } from '@lateen/kernel';
import { runBackup, runRestore } from '../backup/run-to-end.ts';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { podReadyMs } from '../pod-ready.ts';
import { type RawKopia, rawKopia } from '../raw-kopia.ts';
import {
  createPods,
  createRawPod,
  type PodVolumesContext,
  rawDirectories,
  rawPod,
  shellOf,
  size,
  untilPodsReady,
} from './workload.ts';

const runs = 3;
const podReadyRuns = 5;

interface Times {
  rawBackup: number[];
  rawRestore: number[];
  podReady: number[];
  backup: number[];
  restore: number[];
}

/**
 * A Backup that reads all volumes of 20 pods, and a Restore from its creation until all pods are Ready, compared with kopia alone on as
 * many directories of the same size, one after the other with a connection each; medians.
 */
export async function benchPodVolumes(
  lateen: RunningLateen,
  { clock, signal, say }: { clock: Clock; signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  const { cluster } = lateen;
  if (cluster === undefined) throw new Error('kopia alone is measured on a cluster of our own');
  const times: Times = { rawBackup: [], rawRestore: [], podReady: [], backup: [], restore: [] };
  for (let run = 0; run < podReadyRuns; run++) times.podReady.push(await podReadyMs(lateen, clock, signal));
  const suffix = systemRandom.suffix(5);
  const raw = { lateen, clock, namespace: `bench-raw-${suffix}`, signal };
  const s3 = { ...cluster.s3, endpoint: cluster.s3.endpointForPods };
  try {
    await createRawPod(raw);
    for (let run = 0; run < runs; run++) {
      const alone = await rawKopia({ s3, shell: shellOf(raw, rawPod) });
      times.rawBackup.push(await one(alone.snapshot));
      times.rawRestore.push(await one(alone.restore));
      await journey({ ...raw, namespace: `bench-pods-${suffix}-${run}` }, times);
      const last = Object.entries(times).map(([name, all]) => `${name} ${Math.round(all.at(-1) ?? 0)} ms`);
      say(`  run ${run}: ${last.join(', ')}`);
    }
  } finally {
    await deleteNamespace(lateen.kube, raw.namespace, clock, new AbortController().signal);
  }
  return rowsOf(times);
}

/** Processes all directories one after the other. */
async function one(act: RawKopia['snapshot']): Promise<number> {
  let ms = 0;
  for (const directory of rawDirectories) ms += await act(directory);
  return ms;
}

async function journey(context: PodVolumesContext, times: Times): Promise<void> {
  const { lateen, clock, namespace, signal } = context;
  try {
    await createPods(context);
    const backup = await runBackup(context, `${namespace}-backup`, { includedNamespaces: [namespace], ttl: '1h0m0s' });
    times.backup.push(backup.ms);
    await deleteNamespace(lateen.kube, namespace, clock, signal);
    const startedMs = clock.monotonicMs();
    const spec = { backupName: `${namespace}-backup`, includedNamespaces: [namespace] };
    const [ready] = await Promise.all([
      untilPodsReady(context).then(() => clock.monotonicMs() - startedMs),
      runRestore(context, `${namespace}-restore`, spec),
    ]);
    times.restore.push(ready);
  } finally {
    await deleteNamespace(lateen.kube, namespace, clock, new AbortController().signal);
  }
}

function rowsOf(times: Times): BenchRow[] {
  const [rawBackup, rawRestore, podReady] = [times.rawBackup, times.rawRestore, times.podReady].map(median);
  const row = (name: string, all: readonly number[], allowedMs: number, ceiling: string): BenchRow => {
    const value = median(all);
    return {
      name,
      value,
      unit: 'ms',
      target: `at most ${(allowedMs / 1000).toFixed(1)} s (${ceiling})`,
      reached: value <= allowedMs,
      note: `all: ${all.map((each) => (each / 1000).toFixed(1)).join(', ')} s`,
    };
  };
  const plain = (name: string, value: number): BenchRow => ({ name, value, unit: 'ms' });
  const what = `${size.pods} pods with ${size.volumes.length} volumes of 12.5 MB`;
  return [
    plain(`kopia alone, ${rawDirectories.length} snapshots of 12.5 MB`, rawBackup ?? 0),
    row(`Backup of ${what}`, times.backup, (rawBackup ?? 0) * 1.3 + 5_000, 'kopia alone × 1.3 + 5 s'),
    plain(`kopia alone, ${rawDirectories.length} restores of 12.5 MB`, rawRestore ?? 0),
    row(
      'Restore of it, from its creation to all pods Ready',
      times.restore,
      (rawRestore ?? 0) * 1.3 + (podReady ?? 0) * 2 + 5_000,
      'kopia alone × 1.3 + pod ready × 2 + 5 s',
    ),
  ];
}
