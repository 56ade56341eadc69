import { isAppError } from '@lateen/errors';
import { eachAtOnce } from '@lateen/kernel';
import type { FoundManifest, ServerSession } from '../client/server-session.ts';
import { snapshotFacts } from './snapshot-facts.ts';
import { sourceLabels } from './snapshot-texts.ts';

/** What a snapshot's manifest says of it. */
export interface StoredSnapshotFacts {
  snapshotID: string;
  isComplete: boolean;
  /** Of all files together: of a block volume, its size. */
  sizeBytes: number;
  startMs: number;
}

/** Manifests that are read at the same time. */
const atOnce = 8;

/**
 * All snapshots of a source, from whatever program, the newest first. One that is deleted meanwhile is left out; one whose manifest
 * cannot be read counts as incomplete.
 * @throws REPOSITORY_SESSION_LOST, OBJECT_STORE_… as every call of a session; the signal's reason on abort
 */
export async function storedSnapshots(
  session: ServerSession,
  path: string,
  signal: AbortSignal,
): Promise<StoredSnapshotFacts[]> {
  const found = await session.findManifests(sourceLabels(path), { signal });
  const facts: StoredSnapshotFacts[] = [];
  await eachAtOnce(found, atOnce, async ({ id }: FoundManifest) => {
    const json = await manifestJson(session, id, signal);
    if (json !== undefined) facts.push(factsOf(id, json));
  });
  return facts.sort((a, b) => b.startMs - a.startMs);
}

/** Undefined if it has been deleted meanwhile. @throws as every call of a session */
export async function manifestJson(
  session: ServerSession,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await session.getManifest(id, { signal })).json;
  } catch (error) {
    if (isAppError(error, 'SNAPSHOT_NOT_FOUND')) return undefined;
    throw error;
  }
}

function factsOf(snapshotID: string, json: string): StoredSnapshotFacts {
  const facts = snapshotFacts(json);
  // What says no time may be the newest.
  if (facts === undefined) return { snapshotID, isComplete: false, sizeBytes: 0, startMs: Number.POSITIVE_INFINITY };
  const { flaw, sizeBytes, startMs } = facts;
  return { snapshotID, isComplete: flaw === undefined, sizeBytes, startMs };
}
