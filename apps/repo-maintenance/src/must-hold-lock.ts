import type { BackupRepository } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { needsLock, type RepositoryOperation, repositoryBusy, takeRepositoryLock } from '@lateen/maintenance';

/**
 * The creator of the Job has taken the repository's lock for it. Between the two it may have been suspended (a closed notebook), so
 * another Job may hold the lock by now: then nothing is done. @throws REPOSITORY_BUSY, KUBE_…
 */
export async function mustHoldLock(
  ports: { kube: KubeApi; clock: Clock },
  {
    repository,
    operation,
    jobName,
  }: { repository: BackupRepository; operation: RepositoryOperation; jobName: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (jobName === undefined || !needsLock(repository, operation)) return;
  const answer = await takeRepositoryLock(ports, repository, jobName, signal);
  if (!answer.held) throw repositoryBusy(repository, answer);
}
