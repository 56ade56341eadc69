import { type OperationEnd, readForgetRequests, terminationText } from '@lateen/maintenance';
import type { FakeCluster, PodEnd, RunningJob } from '@lateen/testing';
import { namespace } from '../buckets/buckets.ts';

/** How a Job of `repo-maintenance forget` ends; undefined: it succeeds. */
export type ForgetFault = (running: RunningJob, count: number) => { code: string; message: string } | undefined;

interface ForgetWorld {
  cluster: FakeCluster;
  repositories: Map<string, Set<string>>;
  jobs: string[];
  fault: ForgetFault | undefined;
}

/** `repo-maintenance forget`, simulated as far as it is visible from outside. */
export async function forgetProgram(
  { cluster, repositories, jobs, fault }: ForgetWorld,
  running: RunningJob,
): Promise<PodEnd> {
  const [, nameFlag = '', requestsFlag = ''] = running.args;
  jobs.push(running.args.slice(0, 3).join(' '));
  const repositoryName = nameFlag.slice('--repo-name='.length);
  const failed = fault?.(running, jobs.length);
  const common = { operation: 'forget', repository: repositoryName, durationMs: 1 } as const;
  if (failed !== undefined) return ended({ ...common, succeeded: false, error: failed });
  const requests = requestsFlag.slice('--requests='.length).split(',');
  const { signal } = new AbortController();
  const ids = await readForgetRequests(cluster, { namespace, repositoryName, requests }, signal);
  const [volumeNamespace = '', , engine = ''] = repositoryName.split('-');
  const present = repositories.get(`${volumeNamespace}/${engine}`);
  const forgotten = ids.filter((id) => present?.delete(id));
  const result = { engine: 'kopia', forgotten: forgotten.length, missing: ids.length - forgotten.length } as const;
  return ended({ ...common, succeeded: true, result });
}

const ended = (end: OperationEnd): PodEnd => ({
  exitCode: end.succeeded ? 0 : 1,
  terminationMessage: terminationText(end),
});
