import { join } from 'node:path';
import { clusterDown, streamProgress } from '@lateen/cluster';
import { startLateen } from '@lateen/installation';
import { type Clock, systemRandom as random, silentLogger } from '@lateen/kernel';
import type { KubeApi, KubeObject, ResourceType } from '@lateen/kube';
import { waitForObjects } from '@lateen/kube-runtime';
import { replicatedBlockEngine } from '@lateen/replicated-engine';
import { engineType, replicaType, volumeType } from '@lateen/storage-types';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';

const runs = 5;
const msMax = 2_000;
const sizeBytes = 2n * 1024n ** 3n;
const namespace = 'longhorn-system';
const node = 'node-1';
const volume = 'bench';

interface Options {
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/**
 * The attach of a healthy volume of two replicas on a separate real cluster of two nodes, as the CSI driver requests it: from the ticket in
 * its VolumeAttachment until the manager reports it as satisfied, when the device exists. Intermediate steps are read from the objects.
 * Needs root.
 */
export async function benchStorageTicket({ root, clock, signal, say }: Options): Promise<BenchRow[]> {
  const dir = join(root, '.lateen', 'bench-replicated');
  const progress = streamProgress(process.stderr, clock);
  const lateen = await startLateen({ dir, nodes: 2, replicated: true, progress, clock, random, signal });
  try {
    return [rowOf(await attaches(lateen.kube, { clock, signal, say }))];
  } finally {
    await lateen.close();
    await clusterDown({ dir, progress });
  }
}

async function attaches(
  kube: KubeApi,
  { clock, signal, say }: Omit<Options, 'root'>,
): Promise<Record<string, number>[]> {
  const engine = replicatedBlockEngine({ kube, namespace, clock, random, log: silentLogger });
  await engine.create({ name: volume, sizeBytes, parameters: { numberOfReplicas: '2' } }, { signal });
  const by = { signal, by: 'bench' };
  const found: Record<string, number>[] = [];
  try {
    // The first attach creates the files of the replicas, so it does not count.
    for (let run = 0; run <= runs; run++) {
      const beganMs = clock.monotonicMs();
      const at = async (seen: Promise<unknown>) => {
        await seen;
        return clock.monotonicMs() - beganMs;
      };
      const running = <T extends KubeObject>(type: ResourceType<T>, isSo: (all: readonly T[]) => boolean) =>
        at(
          waitForObjects<T, true>({
            api: kube,
            type,
            namespace,
            clock,
            signal,
            until: (all) => isSo(all) || undefined,
          }),
        );
      const [asked, replicas, engineRuns, met] = await Promise.all([
        running(volumeType, (all) => all.some(({ spec }) => spec.nodeID === node)),
        running(replicaType, (all) => all.length > 1 && all.every(({ status }) => status?.currentState === 'running')),
        running(engineType, (all) => all.some(({ status }) => status?.currentState === 'running')),
        at(engine.attach(volume, node, by)),
      ]);
      const steps = {
        'node in the Volume': asked,
        'replicas run': replicas,
        'engine runs': engineRuns,
        'ticket met': met,
      };
      say(`attach by a ticket: ${JSON.stringify(steps)}`);
      if (run > 0) found.push(steps);
      await engine.detach(volume, node, by);
    }
  } finally {
    await engine.delete(volume, { signal });
  }
  return found;
}

function rowOf(found: readonly Record<string, number>[]): BenchRow {
  const each = (step: string) => median(found.map((run) => run[step] ?? 0));
  const value = each('ticket met');
  return {
    name: 'replicated volume of 2 GiB, healthy: attach, from its ticket on a cluster of two nodes',
    ...{ value, unit: 'ms', target: `under ${msMax / 1_000} s`, reached: value < msMax },
    note: Object.keys(found[0] ?? {})
      .map((step) => `${step} after ${Math.round(each(step))} ms`)
      .join(', '),
  };
}
