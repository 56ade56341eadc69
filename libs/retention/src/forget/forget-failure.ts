import type { Job } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { parseTermination, podOfJob, runOutcome } from '@lateen/maintenance';

export interface ForgetFailure {
  /** For people; names the repository. */
  text: string;
  /** The object store takes nothing more. */
  isFull: boolean;
}

/** Why a Job did not forget, as its pod has said. @throws KUBE_… */
export async function forgetFailure(
  kube: KubeApi,
  repository: string,
  job: Job,
  signal: AbortSignal,
): Promise<ForgetFailure> {
  const pod = await podOfJob(kube, job, signal);
  const end = parseTermination(pod?.status?.containerStatuses?.[0]?.state?.terminated?.message);
  const { message = 'no reason was told' } = runOutcome(job, pod);
  return {
    text: `error forgetting snapshots in repository ${repository}: ${message}`,
    isFull: end !== undefined && !end.succeeded && end.error.code === 'OBJECT_STORE_FULL',
  };
}
