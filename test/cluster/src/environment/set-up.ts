import { join } from 'node:path';
import { clusterDown, streamProgress } from '@lateen/cluster';
import { startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { TestProject } from 'vitest/node';

/** A cluster of the tests' own, beside that of a developer. */
const dir = join(import.meta.dirname, '..', '..', '..', '..', '.lateen', 'test-cluster');

/**
 * Once before all files of the cluster tier: a running Lateen, on a cluster of the tests' own or on the one that
 * LATEEN_TEST_KUBECONFIG names. The tests' own cluster is taken down at the end, unless LATEEN_KEEP_CLUSTER is set.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const kubeconfig = process.env.LATEEN_TEST_KUBECONFIG;
  const progress = streamProgress(process.stderr, systemClock);
  const lateen = await startLateen({
    ...(kubeconfig === undefined ? { dir } : { kubeconfig }),
    progress,
    clock: systemClock,
    random: systemRandom,
    signal: AbortSignal.any([]),
  });
  const { kubectl, veleroNamespace, image, storageClass, cluster } = lateen;
  project.provide('lateen', { kubeconfig: lateen.kubeconfig, kubectl, veleroNamespace, image, storageClass, cluster });
  await lateen.close();
  return async () => {
    if (kubeconfig === undefined && process.env.LATEEN_KEEP_CLUSTER === undefined) await clusterDown({ dir, progress });
  };
}
