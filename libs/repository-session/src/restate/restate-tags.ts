import { isAppError } from '@lateen/errors';
import type { SnapshotIdentity } from '@lateen/repository';
import type { ServerSession, StoredManifest } from '../client/server-session.ts';
import { type KeeperOptions, SessionKeeper } from '../splice/session-keeper.ts';
import { sourceLabels } from '../stored/snapshot-texts.ts';
import { withReferenceTags } from './reference-tags.ts';

export interface RestateRequest {
  /** The snapshot that the command line has just made. */
  snapshotID: string;
  source: SnapshotIdentity;
  signal: AbortSignal;
}

/**
 * Stores a snapshot's manifest again with the tags of its source as Velero has them, so that Velero takes it as a parent,
 * and deletes the one before; both become visible in one step, with the flush. Returns the ID that the snapshot has from then on: the
 * same when there is nothing to change. Safe to repeat with the old ID.
 * @throws SNAPSHOT_NOT_FOUND; REPOSITORY_SESSION_LOST after three sessions, and what opening throws: the snapshot has the old ID then, or,
 * when the last flush was not answered, the new one; the signal's reason on abort, with the same doubt
 */
export async function restateTags(options: KeeperOptions, request: RestateRequest): Promise<string> {
  const keeper = new SessionKeeper(options);
  try {
    return await keeper.run((session) => restateOnce(session, request), request.signal);
  } finally {
    await keeper.close();
  }
}

async function restateOnce(session: ServerSession, request: RestateRequest): Promise<string> {
  const { snapshotID, source, signal } = request;
  const stored = await session.getManifest(snapshotID, { signal }).catch((error: unknown) => {
    if (isAppError(error, 'SNAPSHOT_NOT_FOUND')) return undefined;
    throw error;
  });
  // A session before this one may have been lost after its flush.
  if (stored === undefined) return restatedAs(session, request);
  const manifest = withReferenceTags(stored, Object.keys(source.tags));
  if (manifest === undefined) return snapshotID;
  const named = { ...manifest, json: withOldID(manifest.json, snapshotID) };
  const id = await session.putManifest(named, { signal });
  await session.deleteManifest(snapshotID, { signal });
  await session.flush({ signal });
  return id;
}

/** kopia writes an empty `id` into a manifest and never reads it; ours says which one this was. */
const withOldID = (json: string, id: string): string => JSON.stringify({ ...(JSON.parse(json) as object), id });

/** @throws SNAPSHOT_NOT_FOUND when no snapshot of the source has taken its place */
async function restatedAs(session: ServerSession, { snapshotID, source, signal }: RestateRequest): Promise<string> {
  const isIt = ({ json }: StoredManifest): boolean => (JSON.parse(json) as { id?: unknown }).id === snapshotID;
  for (const { id } of await session.findManifests(sourceLabels(source.path), { signal }))
    if (isIt(await session.getManifest(id, { signal }))) return id;
  return (await session.getManifest(snapshotID, { signal })).id;
}
