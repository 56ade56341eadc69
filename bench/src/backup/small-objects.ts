import { configMapType, secretType } from '@lateen/api-types';
import { deleteNamespace } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { type Clock, systemRandom } from '@lateen/kernel';
import type { BenchRow } from '../bench-row.ts';
import { fillApiServer } from '../collection/fill-api-server.ts';
import { median } from '../median.ts';
import { controllerMegabytes } from './controller-memory.ts';
import { runBackup } from './run-to-end.ts';

interface Place {
  lateen: RunningLateen;
  clock: Clock;
  signal: AbortSignal;
}

/** As in the comparison with Velero: 3,003 objects of about 1 KiB in three namespaces. */
const few = { namespaces: 3, each: { configMaps: 801, secrets: 200 }, runs: 5, targetMs: 1_500 } as const;
/** Number of objects of one namespace. */
const many = { namespaces: 1, each: { configMaps: 100_000, secrets: 0 }, runs: 2, ratePerSecond: 5_000 } as const;
const residentMbMax = 200;

/**
 * Backups by the installed controller, from create to Completed, compared with listing the same objects page by page: the 3,003 objects of
 * the comparison, and 100,000 with the memory that the controller has used by then.
 */
export async function benchSmallObjects(
  lateen: RunningLateen,
  { clock, signal, say }: { clock: Clock; signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  const place = { lateen, clock, signal };
  const small = await measure(place, few, say);
  const large = await measure(place, many, say);
  const rate = (many.each.configMaps * 1000) / large.ms;
  const rawRate = (many.each.configMaps * 1000) / large.rawMs;
  const residentMb = await controllerMegabytes(place);
  return [
    {
      name: '3,003 ConfigMaps and Secrets: Backup from create to Completed',
      value: small.ms,
      unit: 'ms',
      target: 'under 1.5 s (reference 4 s)',
      reached: small.ms < few.targetMs,
      note: `paged lists of the same objects alone: ${Math.round(small.rawMs)} ms`,
    },
    {
      name: '100,000 ConfigMaps of one namespace: Backup from create to Completed',
      value: rate,
      unit: 'objects/s',
      target: `at least ${many.ratePerSecond}/s or 80 % of paged lists`,
      reached: rate >= Math.min(many.ratePerSecond, 0.8 * rawRate),
      note: `paged lists alone: ${Math.round(rawRate)}/s`,
    },
    {
      name: 'the controller after it, resident at most',
      value: residentMb,
      unit: 'MB',
      target: `under ${residentMbMax} MB`,
      reached: residentMb < residentMbMax,
      note: 'VmHWM',
    },
  ];
}

async function measure(
  place: Place,
  { namespaces, each, runs }: typeof few | typeof many,
  say: (text: string) => void,
): Promise<{ ms: number; rawMs: number }> {
  const { lateen, clock, signal } = place;
  const prefix = `bench-${systemRandom.suffix(5)}`;
  const names = Array.from({ length: namespaces }, (_, index) => `${prefix}-${index}`);
  const [times, lists]: [number[], number[]] = [[], []];
  try {
    await fillApiServer(lateen.kube, names, each, signal);
    for (let run = 0; run < runs; run++) {
      lists.push(await listAll(place, names));
      const { ms, run: backup } = await runBackup(place, `${prefix}-${run}`, {
        includedNamespaces: names,
        includedResources: ['configmaps', 'secrets'],
        ttl: '1h0m0s',
      });
      times.push(ms);
      const items = backup.status?.progress?.itemsBackedUp;
      say(`  run ${run}: ${Math.round(ms)} ms, ${items} items; paged lists ${Math.round(lists.at(-1) ?? 0)} ms`);
    }
  } finally {
    await Promise.all(names.map((name) => deleteNamespace(lateen.kube, name, clock, new AbortController().signal)));
  }
  return { ms: median(times), rawMs: median(lists) };
}

async function listAll({ lateen: { kube }, clock, signal }: Place, names: readonly string[]): Promise<number> {
  const startedMs = clock.monotonicMs();
  for (const namespace of names)
    for (const type of [configMapType, secretType]) {
      let next: string | undefined;
      do {
        const from = next === undefined ? {} : { continue: next };
        const page = await kube.list(type, { namespace, limit: 500, signal, ...from });
        next = page.continue;
      } while (next !== undefined);
    }
  return clock.monotonicMs() - startedMs;
}
