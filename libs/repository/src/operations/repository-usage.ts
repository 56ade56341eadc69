import type { OperationOptions, RepositoryUsage } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';
import { usageKopia } from './usage-kopia.ts';
import { usageRestic } from './usage-restic.ts';

/**
 * The space of each volume in the bucket: its own, shared with others, and unused data. Reads only, takes no lock. kopia: exact,
 * from the stored length of contents; restic: exact except for unused data, which it rounds to a thousandth of a unit. Takes long
 * for many files or volumes.
 * @throws REPOSITORY_TOO_LARGE, REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export function repositoryUsage(session: RepositorySession, options: OperationOptions): Promise<RepositoryUsage> {
  return session.engine === 'kopia' ? usageKopia(session, options) : usageRestic(session, options);
}
