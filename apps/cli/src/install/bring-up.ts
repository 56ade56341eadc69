import { defaultLocationName, repositoryCredentials } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi, Unstructured } from '@lateen/kube';
import { applyManifests, waitForRollouts } from '@lateen/manifests';
import { ensureRepositoryPassword } from '@lateen/repository';
import type { CommandContext } from '../command-context.ts';
import { liveLine } from '../output/live-line.ts';
import { podsThatStay } from './pods-that-stay.ts';
import { applyReport } from './report-apply.ts';
import { waitForLocation } from './wait-for-location.ts';

interface BringUpOptions {
  namespace: string;
  wait: boolean;
  timeoutMs: number;
}

/**
 * Applies the objects, creates the repository password if it is missing, and with `wait` waits until everything is ready. Prints
 * each step.
 * @throws AppError DEPLOY_APPLY_FAILED, ROLLOUT_FAILED, ROLLOUT_TIMED_OUT, LOCATION_NOT_AVAILABLE, INTERRUPTED
 */
export async function bringUp(
  kube: KubeApi,
  objects: readonly Unstructured[],
  options: BringUpOptions,
  context: CommandContext,
): Promise<void> {
  const { clock, signal, stdout } = context;
  const report = applyReport(context);
  const applying = { signal, clock, onProgress: report.onEvent, readyTimeoutMs: options.timeoutMs };
  try {
    await applyManifests(kube, objects, { ...applying, waitForWorkloads: false });
    if (objects.some(({ kind }) => kind === 'Deployment')) await seeToPassword(kube, options.namespace, context);
    if (options.wait) await waitForRollouts(kube, objects, applying);
    report.end();
    if (options.wait && objects.some(({ kind }) => kind === 'BackupStorageLocation'))
      await locationReady(kube, options, context);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('INTERRUPTED', 'stopped; what is applied stays, and the same command continues from there');
  } finally {
    report.end();
  }
  stdout.write(`${objects.length} objects: ${report.summary()}.\n`);
  for (const note of podsThatStay(objects, report.kept())) context.stderr.write(note);
}

async function seeToPassword(kube: KubeApi, namespace: string, context: CommandContext): Promise<void> {
  const { made } = await ensureRepositoryPassword({ ...context, kube }, namespace, context.signal);
  if (!made) return;
  const { name } = repositoryCredentials;
  context.stdout.write(`created     Secret ${namespace}/${name}\n`);
  context.stderr.write(
    `note: a random repository password was made. Keep a copy outside the cluster, without it nothing that is stored can be read: kubectl get secret -n ${namespace} ${name} -o yaml\n`,
  );
}

async function locationReady(
  kube: KubeApi,
  { namespace, timeoutMs }: BringUpOptions,
  { clock, random, signal, stdout, stderr }: CommandContext,
): Promise<void> {
  const line = liveLine(stderr);
  const title = `BackupStorageLocation ${namespace}/${defaultLocationName}`;
  const onWaiting = (why: string): void => line.show(`waiting for ${title}: ${why}`);
  try {
    const options = { clock, random, signal, timeoutMs, onWaiting };
    await waitForLocation(kube, { namespace, name: defaultLocationName }, options);
  } finally {
    line.end();
  }
  stdout.write(`ready       ${title}\n`);
}
