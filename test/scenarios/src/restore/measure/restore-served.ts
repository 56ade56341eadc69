import { configMapType, namespaceType, secretType } from '@lateen/api-types';
import type { RestoreItemAction } from '@lateen/item-actions';
import { eachAtOnce, silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { markProgram, pluginWorld } from '@lateen/test-plugins';
import { residentMb } from './process-memory.ts';
import { restoreRun } from './restore-run.ts';
import { archiveOf, type StoredShape, storedObjects } from './stored-objects.ts';

/*
 * For the benchmark of restores: `node restore-served.ts <kubeconfig> <raw | restore | plugin | parallel-plugin | plan> <shape as JSON> <at
 * once>`. Creates the objects with plain API calls, restores them, restores them with an action of a plugin program that accepts one call
 * or several in parallel, or plans a restore. Prints one line of JSON.
 */
const [path = '', mode = '', shapeText = '{}', atOnce = '48'] = process.argv.slice(2);
const shape = JSON.parse(shapeText) as StoredShape;
const base = { clock: systemClock, random: systemRandom, log: silentLogger };
const kube = kubeClient({ config: await loadKubeConfig({ path, env: {} }), ...base });
const { signal } = new AbortController();

/** Sends the requests of a restore without the engine. */
async function createAll(): Promise<{ objects: number; seconds: number; failed: number }> {
  const labels = { app: 'filled', 'velero.io/backup-name': 'b', 'velero.io/restore-name': 'measured' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: shape.namespace } };
  const startedMs = systemClock.monotonicMs();
  await kube.create(namespaceType, namespace);
  let objects = 0;
  await eachAtOnce(storedObjects(shape), Number(atOnce), async (object) => {
    const { name = '' } = object.metadata;
    const metadata = { name, namespace: shape.namespace, labels };
    await kube.create(object.kind === 'Secret' ? secretType : configMapType, { ...object, metadata });
    objects++;
  });
  return { objects, seconds: (systemClock.monotonicMs() - startedMs) / 1000, failed: 0 };
}

async function restoreWithPlugin(parallelCalls = 1) {
  await using world = await pluginWorld((folder) => markProgram(folder, parallelCalls), { log: silentLogger });
  return await restoreAll(world.host.actions().restore);
}

async function restoreAll(actions: readonly RestoreItemAction[] = []) {
  const parts = { kube, discovery: kube, parallel: Number(atOnce), dryRun: mode === 'plan', actions };
  const { outcome, seconds, catalogSeconds } = await restoreRun({ ...parts, archive: archiveOf(shape) }, signal);
  let failed = 0;
  for (const { act } of outcome.items) if (act !== 'create') failed++;
  return { objects: outcome.itemsRestored, seconds, failed, catalogSeconds };
}

const cpu = process.cpuUsage();
const work =
  { raw: createAll, plugin: () => restoreWithPlugin(), 'parallel-plugin': () => restoreWithPlugin(8) }[mode] ??
  restoreAll;
const result = await work();
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ ...result, cpuSeconds: (user + system) / 1e6, residentMostMb: residentMb('VmHWM') }));
await kube.close();
