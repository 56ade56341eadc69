import type { KopiaSession } from '@lateen/repository';
import { parseManifestShow } from '../snapshot-manifest.ts';
import { snapshotLookupFailures } from '../volume-failures.ts';
import { listTaggedSnapshots } from './snapshot-list.ts';

/**
 * Deletes a volume's snapshot together with its attribute manifest. Safe to repeat while the snapshot exists; after that,
 * `deleteOrphanedManifests` finds manifests that are left.
 * @throws SNAPSHOT_NOT_FOUND, SNAPSHOT_INVALID, as `session.failure`; the signal's reason on abort
 */
export async function deleteSnapshot(session: KopiaSession, snapshotID: string, signal: AbortSignal): Promise<void> {
  const exit = await session.run(['manifest', 'show', snapshotID], { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) {
    throw session.failure(exit, `looking up snapshot ${snapshotID}`, snapshotLookupFailures);
  }
  const { attributesKey } = parseManifestShow(exit.stdout, snapshotID);
  const tagged = attributesKey === undefined ? [] : await listTaggedSnapshots(session, attributesKey, signal);
  const manifests = tagged.filter((each) => each.isManifest).map((each) => each.id);
  // The manifests come first: kopia deletes one after another, and after an interrupted deletion the snapshot still leads to the
  // rest.
  await deleteSnapshotsById(session, [...manifests, snapshotID], signal);
}

/** Deletes snapshots without their manifests. @throws as `session.failure`; the signal's reason on abort */
export async function deleteSnapshotsById(
  session: KopiaSession,
  snapshotIDs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (snapshotIDs.length === 0) return;
  const exit = await session.run(['snapshot', 'delete', ...snapshotIDs, '--delete'], { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, `deleting ${snapshotIDs.join(', ')}`, snapshotLookupFailures);
}
