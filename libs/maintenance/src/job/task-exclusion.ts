import { type BackupRepository, type Job, labels } from '@lateen/api-types';
import type { RepositoryType } from '@lateen/repository';
import { type RepositoryOperation, repositoryOperations } from './repository-job.ts';

/**
 * Tasks of which one works on a repository at a time. kopia is read beside anything: what maintenance takes away was left by
 * everybody a day before, and what it forgets is a note of its own. restic takes its exclusive lock for a check and to forget, too.
 */
const alone: Readonly<Record<RepositoryType, readonly RepositoryOperation[]>> = {
  kopia: ['maintain', 'change-password'],
  restic: ['maintain', 'check', 'change-password', 'forget'],
};

/** Whether a task must have the repository's lock. */
export function needsLock({ spec }: BackupRepository, operation: RepositoryOperation): boolean {
  return alone[spec.repositoryType === 'restic' ? 'restic' : 'kopia'].includes(operation);
}

/**
 * Whether two tasks may not run at the same time in one repository. A change of the password keeps out the rest as well: each
 * step of a task opens the repository again, with the password that was valid at the start of the task.
 */
export function excludeEachOther(
  repository: BackupRepository,
  one: RepositoryOperation,
  other: RepositoryOperation,
): boolean {
  if (one === 'change-password' || other === 'change-password') return true;
  return needsLock(repository, one) && needsLock(repository, other);
}

/** What a Job does. Those of Velero have no such label, and maintain; what a later version does may be as much. */
export function operationOf({ metadata }: Job): RepositoryOperation {
  const operation = metadata.labels?.[labels.repositoryOperation];
  return repositoryOperations.find((each) => each === operation) ?? 'maintain';
}
