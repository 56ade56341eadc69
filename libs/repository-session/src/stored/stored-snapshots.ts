import { isAppError } from '@lateen/errors';
import { eachAtOnce } from '@lateen/kernel';
import type { FoundManifest, ServerSession } from '../client/server-session.ts';
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

interface Manifest {
  startTime?: unknown;
  incomplete?: unknown;
  stats?: { totalSize?: unknown };
  rootEntry?: { summ?: { numFailed?: unknown } };
}

function factsOf(snapshotID: string, json: string): StoredSnapshotFacts {
  const { startTime, incomplete, stats, rootEntry } = parsed(json);
  const startMs = typeof startTime === 'string' ? Date.parse(startTime) : Number.NaN;
  const sizeBytes = stats?.totalSize;
  const numFailed = rootEntry?.summ?.numFailed ?? 0;
  const isWhole = rootEntry !== undefined && (incomplete === undefined || incomplete === '') && numFailed === 0;
  return {
    snapshotID,
    isComplete: isWhole && !Number.isNaN(startMs) && typeof sizeBytes === 'number',
    sizeBytes: typeof sizeBytes === 'number' ? sizeBytes : 0,
    // What says no time may be the newest.
    startMs: Number.isNaN(startMs) ? Number.POSITIVE_INFINITY : startMs,
  };
}

function parsed(json: string): Manifest {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
