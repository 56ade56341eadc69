import { deleteNamespace } from '@lateen/demo';
import { systemRandom } from '@lateen/kernel';
import { controllerMegabytes } from '../backup/controller-memory.ts';
import { type RunContext, runBackup, runRestore } from '../backup/run-to-end.ts';
import type { BenchRow } from '../bench-row.ts';
import { fillApiServer } from '../collection/fill-api-server.ts';
import { median } from '../median.ts';

/** As in the comparison with Velero. */
const few = { configMaps: 2_403, secrets: 600 } as const;
const many = { configMaps: 0, secrets: 31_000 } as const;
const runs = 3;
const residentMbMax = 200;

interface Place extends RunContext {
  say(text: string): void;
}

interface Measured {
  rawPerSecond: number;
  /** Time of a Restore from create to Completed. */
  perSecond: readonly number[];
  ms: readonly number[];
  planMs: number;
}

/**
 * Restores by the installed controller, from create to Completed, each into a new namespace, compared with plain creations of the same
 * objects: 3,003 ConfigMaps and Secrets, and 31,000 Secrets with the memory that the controller has used by then and a plan of them.
 */
export async function benchInstalledRestore(place: Place): Promise<BenchRow[]> {
  const small = await measure(place, few, runs);
  const large = await measure(place, many, 1);
  const residentMb = await controllerMegabytes(place);
  const rate = median(small.perSecond);
  const ratio = rate / small.rawPerSecond;
  const toSmall = median(large.perSecond) / rate;
  const seconds = median(large.ms) / 1000;
  return [
    {
      name: '3,003 ConfigMaps and Secrets: Restore into a new namespace, from create to Completed / plain creations',
      value: ratio,
      unit: '×',
      target: 'at least 0.80 ×',
      reached: ratio >= 0.8,
      note: `${rate.toFixed(0)}/s against ${small.rawPerSecond.toFixed(0)}/s; Velero 49/s`,
    },
    {
      name: '31,000 Secrets: Restore into a new namespace, from create to Completed',
      value: seconds,
      unit: 's',
      target: 'under 60 s (reference 52 min)',
      reached: seconds < 60,
      note: `plain creations ${large.rawPerSecond.toFixed(0)}/s`,
    },
    {
      name: 'its rate / that of the 3,003',
      value: toSmall,
      unit: '×',
      target: 'at least 0.80 ×',
      reached: toSmall >= 0.8,
    },
    {
      name: 'a plan of them where they are there, from create to Completed',
      value: large.planMs / 1000,
      unit: 's',
      target: 'under 60 s',
      reached: large.planMs < 60_000,
    },
    {
      name: 'the controller after it, resident at most',
      value: residentMb,
      unit: 'MB',
      target: `under ${residentMbMax} MB`,
      reached: residentMb < residentMbMax,
      note: 'VmHWM, the backups included',
    },
  ];
}

async function measure(place: Place, objects: typeof few | typeof many, times: number): Promise<Measured> {
  const { lateen, clock, signal, say } = place;
  const count = objects.configMaps + objects.secrets;
  const source = `bench-${systemRandom.suffix(5)}`;
  const targets = Array.from({ length: times }, (_, run) => `${source}-${run}`);
  try {
    const startedMs = clock.monotonicMs();
    await fillApiServer(lateen.kube, [source], objects, signal);
    const rawPerSecond = (count * 1000) / (clock.monotonicMs() - startedMs);
    const includedResources = ['configmaps', 'secrets'];
    await runBackup(place, source, { includedNamespaces: [source], includedResources, ttl: '1h0m0s' });
    const ms: number[] = [];
    for (const target of targets) {
      ms.push((await runRestore(place, target, { backupName: source, namespaceMapping: { [source]: target } })).ms);
      say(`  ${count} objects: ${Math.round(ms.at(-1) ?? 0)} ms; plain creations ${rawPerSecond.toFixed(0)}/s`);
    }
    const again = { backupName: source, namespaceMapping: { [source]: targets[0] ?? '' }, dryRun: true };
    const plan = await runRestore(place, `${source}-plan`, again);
    return { rawPerSecond, ms, perSecond: ms.map((each) => (count * 1000) / each), planMs: plan.ms };
  } finally {
    const all = [source, ...targets];
    await Promise.all(all.map((name) => deleteNamespace(lateen.kube, name, clock, new AbortController().signal)));
  }
}
