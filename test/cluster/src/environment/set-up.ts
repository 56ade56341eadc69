import { join } from 'node:path';
import { clusterDown, streamProgress } from '@lateen/cluster';
import { deniedCalls } from '@lateen/deploy';
import { AppError } from '@lateen/errors';
import { startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { TestProject } from 'vitest/node';
import { auditedCalls } from './audited-calls.ts';

/** A cluster for the tests only, separate from that of a developer. Two projects may run at the same time. */
const dirOf = (project: string): string =>
  join(
    import.meta.dirname,
    '..',
    '..',
    '..',
    '..',
    '.lateen',
    project === 'cluster' ? 'test-cluster' : `${project}-cluster`,
  );

/**
 * Runs once before all files of a project of the cluster tier: starts Lateen on a cluster for the tests, or on the one of
 * LATEEN_TEST_KUBECONFIG. At the end the cluster of the tests is removed, unless LATEEN_KEEP_CLUSTER is set. After all files it checks that
 * none of Lateen's API calls was denied for missing permissions.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const kubeconfig = process.env.LATEEN_TEST_KUBECONFIG;
  const dir = dirOf(project.name);
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
  const startedMs = systemClock.now();
  return async () => {
    try {
      if (cluster !== undefined) await refuseDeniedCalls(cluster.auditLogDir, startedMs, veleroNamespace);
    } finally {
      if (kubeconfig === undefined && process.env.LATEEN_KEEP_CLUSTER === undefined)
        await clusterDown({ dir, progress });
    }
  };
}

/** @throws CALLS_DENIED with each denied call once; Vitest then ends with a failure */
async function refuseDeniedCalls(auditLogDir: string, sinceMs: number, veleroNamespace: string): Promise<void> {
  const calls = await auditedCalls(auditLogDir, { sinceMs, namespaces: [veleroNamespace, 'lateen-csi'] });
  const denied = deniedCalls(calls);
  if (denied.length > 0)
    throw new AppError('CALLS_DENIED', `rights are missing in deploy/:\n${denied.join('\n')}`, {
      nextStep: 'Grant them in the rbac.yaml of the app, and in the chart, or do without the call.',
    });
}
