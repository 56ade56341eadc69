import type { OperationOptions, RepositoryUsage } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';
import { usageKopia } from './usage-kopia.ts';
import { usageRestic } from './usage-restic.ts';

/**
 * What each volume takes of the bucket: alone, together with others, and what nobody needs. Reads only, takes no lock. kopia:
 * exact, contents of which it says how long they are stored; restic: exact but for what nobody needs, which it
 * rounds to a thousandth of a unit. Takes long where there are many files or volumes.
 * @throws REPOSITORY_TOO_LARGE, REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export function repositoryUsage(session: RepositorySession, options: OperationOptions): Promise<RepositoryUsage> {
  return session.engine === 'kopia' ? usageKopia(session, options) : usageRestic(session, options);
}
