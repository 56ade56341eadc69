import { type Job, type Pod, podType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';

/** The pod of a Job that is tried once, as long as the cluster has it. */
export async function podOfJob(kube: KubeApi, job: Job, signal: AbortSignal): Promise<Pod | undefined> {
  const { namespace, name } = job.metadata;
  const { items } = await kube.list(podType, { namespace, labelSelector: `job-name=${name}`, limit: 5, signal });
  return items[0];
}
