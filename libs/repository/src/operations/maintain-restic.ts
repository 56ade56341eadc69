import { outputLines } from '@lateen/child-process';
import { mustRun } from '../engine/must-run.ts';
import type { ResticSession } from '../restic/restic-session.ts';
import type { MaintainOptions, RepositoryMaintenance } from './repository-operation.ts';
import { resticProgress } from './restic-progress.ts';

/** Quick: no pack is rewritten, only unused packs are deleted. */
const quickFlags = ['--max-repack-size=0'];

export async function maintainRestic(
  session: ResticSession,
  { mode, signal, onProgress }: MaintainOptions,
): Promise<RepositoryMaintenance> {
  // The lock of a killed mover would block every prune for ever.
  await mustRun(session, 'removing stale locks', ['unlock'], { signal });
  const lines = outputLines(resticProgress('pruning', onProgress));
  await mustRun(session, `${mode} maintenance`, ['prune', ...(mode === 'quick' ? quickFlags : [])], {
    signal,
    onStdout: (chunk) => lines.push(chunk.toString('utf8')),
    onStderr: lines.push,
  });
  return { engine: 'restic', mode };
}
