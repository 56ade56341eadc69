import { mustRun } from '../engine/must-run.ts';
import { mustList } from './engine-step.ts';
import type { OperationOptions, SnapshotsForgotten } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

export interface ForgetOptions extends OperationOptions {
  /** IDs in the form of kopia (manifest ID) or restic (long or short). A missing snapshot counts as forgotten already. */
  snapshotIDs: readonly string[];
}

/** Snapshots per run: 64 bytes of arguments each, of the 2 MiB that a process may have. */
const forgottenAtOnceMax = 500;

/** The form of an engine's snapshot IDs; other text could be a flag, or the name of several snapshots. */
const idForm = { kopia: /^[0-9a-f]{32}$/, restic: /^[0-9a-f]{8,64}$/ } as const;

/**
 * Deletes snapshots from the repository, pinned or not; maintenance then frees what only they needed. Safe to repeat after an
 * interruption. kopia writes a little data in order to forget a snapshot.
 * @throws REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export async function forgetSnapshots(session: RepositorySession, options: ForgetOptions): Promise<SnapshotsForgotten> {
  const { signal, onProgress } = options;
  const wanted = [...new Set(options.snapshotIDs)];
  const { engine } = session;
  // The lock of a killed mover would block restic for ever.
  if (engine === 'restic') await mustRun(session, 'removing stale locks', ['unlock'], { signal });
  const present = await presentOf(session, wanted, signal);
  for (let at = 0; at < present.length; at += forgottenAtOnceMax) {
    onProgress?.({ doing: 'forgetting snapshots', done: at, total: present.length, unit: 'items' });
    const ids = present.slice(at, at + forgottenAtOnceMax);
    const args = engine === 'kopia' ? ['snapshot', 'delete', ...ids, '--delete'] : ['forget', ...ids];
    await mustRun(session, 'forgetting snapshots', args, { signal });
  }
  return { engine, forgotten: present.length, missing: wanted.length - present.length };
}

const listing = {
  kopia: ['manifest', 'list', '--filter=type:snapshot', '--json'],
  restic: ['snapshots', '--json', '--no-lock'],
} as const;

/** The IDs that the repository has, in their full form; the memory is bounded by the number of requested IDs. */
async function presentOf(
  session: RepositorySession,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const { engine } = session;
  const ids = wanted.filter((id) => idForm[engine].test(id));
  if (ids.length === 0) return [];
  const whole = new Set(ids);
  const short = ids.filter((id) => engine === 'restic' && id.length < 64);
  const present: string[] = [];
  await mustList(session, 'listing the snapshots', [...listing[engine]], {
    depth: 2,
    signal,
    onObject: ({ id }) => {
      if (typeof id !== 'string') return;
      if (whole.has(id) || short.some((each) => id.startsWith(each))) present.push(id);
    },
  });
  return present;
}
