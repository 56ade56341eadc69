import { join } from 'node:path';
import { clusterUp, killMachine, type Progress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { type RunningLateen, startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { lateenCli } from '../lateen-cli.ts';
import { podShell } from '../pod-shell.ts';
import { databasePod } from '../shop/create-shop.ts';
import { kubectlIn } from '../shop/kubectl.ts';
import { printReplicated } from './print-replicated.ts';
import { ReplicatedJourney, type ReplicatedJourneyPorts } from './replicated-journey.ts';

export interface ReplicatedDemoOptions {
  /** Root of the checkout. */
  root: string;
  /** The cluster's folder. */
  dir: string;
  progress: Progress;
  /** Builds the database's image, loads it into the cluster, and returns its name. */
  databaseImage(lateen: RunningLateen): Promise<string>;
  signal: AbortSignal;
}

const nodeCount = 3;

/** The demo of volumes that survive the loss of a node, on a separate cluster of three nodes. Returns whether it succeeded. */
export async function replicatedDemo({ root, dir, progress, databaseImage, signal }: ReplicatedDemoOptions) {
  const startedMs = systemClock.monotonicMs();
  const base = { progress, clock: systemClock, random: systemRandom, signal };
  const lateen = await startLateen({ dir, nodes: nodeCount, replicated: true, ...base });
  try {
    const image = await databaseImage(lateen);
    const namespace = `lateen-demo-${systemRandom.suffix(5)}`;
    const where = { ...lateen, namespace, signal };
    const ports: ReplicatedJourneyPorts = {
      kube: lateen.kube,
      clock: systemClock,
      lateen: lateenCli(root, lateen.kubeconfig, signal),
      kubectl: kubectlIn(where),
      database: podShell({ ...where, pod: databasePod }),
      killNode: (machine) => killMachine({ dir, machine }),
      bringNodesBack: async () => {
        await clusterUp({ dir, progress, signal });
      },
      say: (text) => console.log(`\n== ${text}`),
    };
    const options = {
      namespace,
      nodes: Array.from({ length: nodeCount }, (_, at) => `node-${at + 1}`),
      databaseImage: image,
      storageClass: lateen.storageClass,
      databaseVolumeSize: '2Gi',
      password: systemRandom.suffix(20),
      scale: 2,
    };
    const journey = new ReplicatedJourney(options, ports, signal);
    try {
      const result = await journey.run();
      return printReplicated(result, (systemClock.monotonicMs() - startedMs) / 1_000);
    } catch (error) {
      await tidyUp(journey, dir, progress);
      throw error;
    }
  } finally {
    await lateen.close();
  }
}

/** Cleans up after a failure. The failure is more important than an error of the cleanup. */
async function tidyUp(journey: ReplicatedJourney, dir: string, progress: Progress): Promise<void> {
  try {
    await clusterUp({ dir, progress });
    await journey.cleanUp(AbortSignal.any([]));
  } catch (problem) {
    console.error(`lateen: the demo could not clean up: ${describeError(problem)}`);
  }
}

/** The default folder of its cluster. */
export const replicatedDir = (root: string): string => join(root, '.lateen', 'replicated');
