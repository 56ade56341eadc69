import { maintainKopia } from './maintain-kopia.ts';
import { maintainRestic } from './maintain-restic.ts';
import type { MaintainOptions, RepositoryMaintenance } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

/**
 * Frees data that no snapshot needs. kopia: its quick or full cycle, under the identity that owns maintenance, with full safety:
 * data that became free in the last 24 h stays, because a backup may be about to use it again. restic: deletes unused packs
 * (quick), or runs all of `prune` (full), after stale locks are removed. Safe to repeat; after an abort the next run continues.
 * @throws REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export function maintainRepository(
  session: RepositorySession,
  options: MaintainOptions,
): Promise<RepositoryMaintenance> {
  return session.engine === 'kopia' ? maintainKopia(session, options) : maintainRestic(session, options);
}
