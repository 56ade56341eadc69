import { backupRepositoryType, configMapType, type DeleteBackupRequest } from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import { forgetFailure } from '../forget/forget-failure.ts';
import { forgetOutcome } from '../forget/forget-outcome.ts';
import type { DeletionPorts } from './deletion-ports.ts';
import type { PlannedRequest } from './planned-request.ts';

export type ForgetState =
  | { kind: 'done' }
  /** Jobs are at work, or about to be made. */
  | { kind: 'open' }
  /** `isFull`: the object store takes nothing more. */
  | { kind: 'failed'; errors: string[]; isFull: boolean };

/** How far the repositories have got. Those that failed are told when the others have ended too. @throws KUBE_… */
export async function forgetStep(
  ports: DeletionPorts,
  { request, planned }: { request: DeleteBackupRequest; planned: readonly PlannedRequest[] },
  sinceMs: number,
  signal: AbortSignal,
): Promise<ForgetState> {
  const { kube, namespace } = ports;
  const failures: { text: string; isFull: boolean }[] = [];
  let open = false;
  for (const { request: name, repository } of planned) {
    const outcome = forgetOutcome(name, ports.forgetJobsOf(repository), sinceMs);
    if (outcome.kind === 'failed') failures.push(await forgetFailure(kube, repository, outcome.job, signal));
    if (outcome.kind !== 'open') {
      // It may have been asked for again while the Job was at work.
      ports.forget.leave({ namespace, name: repository }, [name]);
      continue;
    }
    if ((await readObject(kube, backupRepositoryType, { namespace, name: repository }, signal)) === undefined) {
      failures.push({ text: `BackupRepository ${repository} was deleted meanwhile`, isFull: false });
      continue;
    }
    open = true;
    ports.forget.ask({ namespace, name: repository }, name);
  }
  if (open) return { kind: 'open' };
  if (failures.length === 0) return { kind: 'done' };
  ports.log.warn(
    { request: request.metadata.name, failures: failures.length },
    'repositories did not forget snapshots',
  );
  return { kind: 'failed', errors: failures.map(({ text }) => text), isFull: failures.some(({ isFull }) => isFull) };
}

/** They go with the Backup as well; a repository has as few of them as can be. */
export async function dropRequests(
  { kube, namespace }: DeletionPorts,
  planned: readonly PlannedRequest[],
  signal: AbortSignal,
): Promise<void> {
  for (const { request: name } of planned) {
    const there = await readObject(kube, configMapType, { namespace, name }, signal);
    if (there === undefined) continue;
    await kube.delete(configMapType, { namespace, name }, { signal }).catch(() => signal.throwIfAborted());
  }
}
