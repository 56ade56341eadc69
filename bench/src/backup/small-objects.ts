import { configMapType, namespaceType, secretType } from '@lateen/api-types';
import { deleteNamespace } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { type Clock, systemRandom } from '@lateen/kernel';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { runBackup } from './run-backup.ts';

/** As in the comparison with the reference: 3,003 objects of about 1 KiB in three namespaces. */
const namespaces = 3;
const perKind = { configMaps: 801, secrets: 200 } as const;
const runs = 5;
/** Creations under way at once; an API server on 2 cores is fastest so. */
const connections = 32;
const targetMs = 1_500;

interface Place {
  lateen: RunningLateen;
  clock: Clock;
  signal: AbortSignal;
}

/** A backup of 3,003 ConfigMaps and Secrets from create to Completed, against listing the same objects page by page. */
export async function benchSmallObjects(
  lateen: RunningLateen,
  { clock, signal, say }: { clock: Clock; signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  const place = { lateen, clock, signal };
  const prefix = `bench-${systemRandom.suffix(5)}`;
  const names = Array.from({ length: namespaces }, (_, index) => `${prefix}-${index}`);
  try {
    await fill(place, names);
    const times: number[] = [];
    const lists: number[] = [];
    for (let run = 0; run < runs; run++) {
      lists.push(await listAll(place, names));
      const { ms, backup } = await runBackup(place, `${prefix}-${run}`, {
        includedNamespaces: names,
        includedResources: ['configmaps', 'secrets'],
        ttl: '1h0m0s',
      });
      times.push(ms);
      say(
        `  run ${run}: ${Math.round(ms)} ms, ${backup.status?.progress?.itemsBackedUp} items; raw lists ${lists.at(-1)} ms`,
      );
    }
    const ms = median(times);
    return [
      {
        name: '3,003 ConfigMaps and Secrets: Backup from create to Completed',
        value: ms,
        unit: 'ms',
        target: 'under 1.5 s (reference 4 s)',
        reached: ms < targetMs,
        note: `paged lists of the same objects alone: ${Math.round(median(lists))} ms`,
      },
    ];
  } finally {
    const never = new AbortController().signal;
    await Promise.all(names.map((name) => deleteNamespace(lateen.kube, name, clock, never)));
  }
}

async function fill({ lateen: { kube } }: Place, names: readonly string[]): Promise<void> {
  const data = { text: 'x'.repeat(1_000) };
  const work: (() => Promise<unknown>)[] = [];
  for (const namespace of names) {
    await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (let at = 0; at < perKind.configMaps; at++)
      work.push(() =>
        kube.create(configMapType, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace, name: `config-${at}` },
          data,
        }),
      );
    for (let at = 0; at < perKind.secrets; at++)
      work.push(() =>
        kube.create(secretType, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace, name: `secret-${at}` },
          data: { text: Buffer.from(data.text).toString('base64') },
        }),
      );
  }
  const one = async () => {
    for (let next = work.pop(); next !== undefined; next = work.pop()) await next();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

async function listAll({ lateen: { kube }, clock }: Place, names: readonly string[]): Promise<number> {
  const startedMs = clock.monotonicMs();
  for (const namespace of names)
    for (const type of [configMapType, secretType]) {
      let next: string | undefined;
      do {
        const page = await kube.list(type, {
          namespace,
          limit: 500,
          ...(next === undefined ? {} : { continue: next }),
        });
        next = page.continue;
      } while (next !== undefined);
    }
  return clock.monotonicMs() - startedMs;
}
