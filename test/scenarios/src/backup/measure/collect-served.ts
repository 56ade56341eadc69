import { readFileSync } from 'node:fs';
import { type BackupSpec, type Namespace, namespaceType } from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { listAll } from '@lateen/kube';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { runEngine } from './run-engine.ts';

/*
 * For the benchmark of the collection engine: `node collect-served.ts <rounds> <namespace | *> --kubeconfig <file>`. Alternates between
 * reading all ConfigMaps as raw pages and a whole backup. Prints one line of JSON with the seconds of both.
 */
const [rounds = '1', namespace = '*', , path = ''] = process.argv.slice(2);
const base = { clock: systemClock, random: systemRandom, log: silentLogger };

/** Reads pages one after the other, as every client has to, and looks only at the continue token. */
async function readRaw(kube: KubeClient): Promise<{ pages: number; seconds: number; megabytes: number }> {
  const startedMs = systemClock.monotonicMs();
  const place = namespace === '*' ? '' : `/namespaces/${namespace}`;
  let next: string | undefined;
  let pages = 0;
  let chars = 0;
  do {
    const query = { limit: 500, ...(next === undefined ? {} : { continue: next }) };
    const text = await kube.raw({ path: `/api/v1${place}/configmaps`, query });
    next = /"continue":"([^"]+)"/.exec(text.slice(0, 2_000))?.[1];
    chars += text.length;
    pages++;
  } while (next !== undefined);
  return { pages, seconds: (systemClock.monotonicMs() - startedMs) / 1000, megabytes: chars / 1e6 };
}

const kube = kubeClient({ config: await loadKubeConfig({ path, env: {} }), ...base });
const spec: BackupSpec = namespace === '*' ? {} : { includedNamespaces: [namespace] };
const results = [];
for (let round = 0; round < Number(rounds); round++) {
  const raw = await readRaw(kube);
  const types = await kube.resourceTypes();
  const startedMs = systemClock.monotonicMs();
  const cpuBefore = process.cpuUsage();
  const namespaces: Namespace[] = (await listAll(kube, namespaceType)).items;
  const run = await runEngine(kube.withPriority('bulk'), types, namespaces, spec, builtInActions({ csi: false }));
  const { user, system } = process.cpuUsage(cpuBefore);
  results.push({
    raw: raw.seconds,
    rawMegabytes: raw.megabytes,
    seconds: (systemClock.monotonicMs() - startedMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
    objects: run.outcome.itemsBackedUp,
    archiveMegabytes: run.archiveBytes / 1e6,
  });
}
const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
console.log(JSON.stringify({ rounds: results, rssMostMb: (Number(peak) * 1024) / 1e6 }));
await kube.close();
