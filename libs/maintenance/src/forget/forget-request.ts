import { type ConfigMap, configMapType, type Job, labels, labelValues } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { maintenanceJobLabels } from '../job/maintenance-job.ts';

export interface ForgetRequest {
  /** Of the ConfigMap. */
  name: string;
  namespace: string;
  repositoryName: string;
  snapshotIDs: readonly string[];
}

/** Keys of its data. */
const keys = { repository: 'repository', snapshots: 'snapshots' } as const;

/** The labels by which the requests for a repository are found. */
export const forgetRequestLabels = (repositoryName: string): Record<string, string> => ({
  ...maintenanceJobLabels(repositoryName),
  [labels.forgetRequest]: labelValues.true,
});

/**
 * The snapshots that a repository has to forget, as a ConfigMap (docs/adr/0032): the list outlives its creator, one Job handles several, and a
 * Job's arguments could not hold it.
 */
export function forgetRequest({ name, namespace, repositoryName, snapshotIDs }: ForgetRequest): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: configMapType.kind,
    metadata: { name, namespace, labels: forgetRequestLabels(repositoryName) },
    data: { [keys.repository]: repositoryName, [keys.snapshots]: `${snapshotIDs.join('\n')}\n` },
  };
}

/** Name of the repository that a request is for; undefined for a ConfigMap that is none. */
export const repositoryOfRequest = ({ data }: ConfigMap): string | undefined => data?.[keys.repository];

/** A request as it is kept in memory: its list may be long, and only the Jobs read it. */
export function withoutSnapshots(request: ConfigMap): ConfigMap {
  const repository = repositoryOfRequest(request);
  return { ...request, data: repository === undefined ? {} : { [keys.repository]: repository } };
}

/**
 * The snapshots of some requests together, each once. One that is gone needs nothing any more.
 * @throws FORGET_REQUEST_INVALID for one of another repository; KUBE_…
 */
export async function readForgetRequests(
  kube: KubeApi,
  { namespace, repositoryName, requests }: { namespace: string; repositoryName: string; requests: readonly string[] },
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>();
  for (const name of requests) {
    const request = await readObject(kube, configMapType, { namespace, name }, signal);
    if (request === undefined) continue;
    if (repositoryOfRequest(request) !== repositoryName)
      throw new AppError(
        'FORGET_REQUEST_INVALID',
        `ConfigMap ${name} is not a request for repository ${repositoryName}`,
      );
    for (const id of (request.data?.[keys.snapshots] ?? '').split('\n')) if (id !== '') found.add(id);
  }
  return [...found];
}

const requestsFlag = '--requests=';

/** Names of the requests that a Job of ours was made for; none for a Job that does something else. */
export function requestsOfJob({ metadata, spec }: Job): string[] {
  if (metadata.labels?.[labels.repositoryOperation] !== 'forget') return [];
  const args = spec.template.spec.containers[0]?.args ?? [];
  const flag = args.find((each) => each.startsWith(requestsFlag)) ?? requestsFlag;
  return flag.slice(requestsFlag.length).split(',').filter(Boolean);
}
