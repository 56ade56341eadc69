import type { Clock } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';
import type { TaggedSnapshot } from './attribute-snapshot.ts';
import { deleteSnapshotsById } from './delete-snapshot.ts';
import { listTaggedSnapshots } from './snapshot-list.ts';

/**
 * A manifest is stored long before its snapshot, which exists only after the upload has ended; and the clocks of nodes differ. A
 * week is longer than any upload takes, and an orphan costs little.
 */
export const orphanAgeMsMin = 7 * 24 * 60 * 60_000;

/** The most orphans that one command deletes; the rest follows at the next maintenance. */
export const orphansDeletedMax = 1_000;

/**
 * Manifests without a snapshot: the snapshot was deleted by a program that does not know manifests (Velero), or never made
 * because the mover died before that. Pure.
 */
export function orphanedManifests(tagged: readonly TaggedSnapshot[], nowMs: number): TaggedSnapshot[] {
  const alive = new Set(tagged.filter((each) => !each.isManifest).map((each) => each.key));
  return tagged.filter((each) => each.isManifest && !alive.has(each.key) && nowMs - each.startedAtMs >= orphanAgeMsMin);
}

/**
 * Deletes the orphaned manifests of a repository, for its maintenance. Resolves with their number.
 * @throws as `session.failure`; the signal's reason on abort
 */
export async function deleteOrphanedManifests(
  session: KopiaSession,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const orphans = orphanedManifests(await listTaggedSnapshots(session, undefined, signal), clock.now());
  const due = orphans.slice(0, orphansDeletedMax).map((each) => each.id);
  await deleteSnapshotsById(session, due, signal);
  return due.length;
}
