import { mustRun } from '../engine/must-run.ts';
import type { OperationOptions, RepositoryUnlock } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

/**
 * Removes the locks of programs that are certainly gone, by restic's own rule: a lock that was not renewed for half an hour, or
 * that belongs to an ended process of this host. A lock that may be in use stays. kopia has no locks. Safe to repeat. @throws
 * REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export async function unlockRepository(
  session: RepositorySession,
  { signal }: OperationOptions,
): Promise<RepositoryUnlock> {
  if (session.engine === 'kopia') return { engine: 'kopia', removed: 0, remaining: 0, hasLocks: false };
  const before = await countLocks(session, signal);
  if (before > 0) await mustRun(session, 'removing stale locks', ['unlock'], { signal });
  const remaining = before === 0 ? 0 : await countLocks(session, signal);
  return { engine: 'restic', removed: Math.max(before - remaining, 0), remaining, hasLocks: true };
}

async function countLocks(session: RepositorySession, signal: AbortSignal): Promise<number> {
  const { stdout } = await mustRun(session, 'listing locks', ['list', 'locks', '--no-lock'], { signal });
  return stdout.split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line.trim())).length;
}
