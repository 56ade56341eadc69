import type { FoundManifest, ServerSession } from '../client/server-session.ts';
import {
  folderText,
  manifestText,
  snapshotLabels,
  sourceLabels,
  type VolumeSnapshot,
} from '../stored/snapshot-texts.ts';

export interface StoreSnapshotOptions {
  /** Whether an attempt before this one may have stored it without our knowing. */
  mayBeThere: boolean;
  signal: AbortSignal;
}

/**
 * Stores folder and manifest of a snapshot, flushes, and returns the ID of the manifest. A stage, except that a manifest that is
 * put twice is there twice; so it is looked for first when it `mayBeThere`.
 */
export async function storeSnapshot(
  session: ServerSession,
  snapshot: VolumeSnapshot,
  { mayBeThere, signal }: StoreSnapshotOptions,
): Promise<string> {
  const folder = { prefix: 'k', data: Buffer.from(folderText(snapshot)), isCompressed: true };
  const rootObject = await session.writeContent(folder, { signal });
  const stored = mayBeThere ? await findStored(session, snapshot.source.path, rootObject, signal) : undefined;
  if (stored !== undefined) return stored;
  const manifest = { json: manifestText(snapshot, rootObject), labels: snapshotLabels(snapshot.source) };
  const id = await session.putManifest(manifest, { signal });
  await session.flush({ signal });
  return id;
}

/**
 * The snapshot of this source with this root folder, if there is one. The folder has the time of our start in it, so no other snapshot
 * has its ID.
 */
export async function findStored(
  session: ServerSession,
  path: string,
  rootObject: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isOurs = async ({ id }: FoundManifest): Promise<boolean> => {
    const { rootEntry } = JSON.parse((await session.getManifest(id, { signal })).json) as {
      rootEntry?: { obj?: unknown };
    };
    return rootEntry?.obj === rootObject;
  };
  for (const found of await session.findManifests(sourceLabels(path), { signal }))
    if (await isOurs(found)) return found.id;
  return undefined;
}
