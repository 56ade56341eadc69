import { isAppError } from '@lateen/errors';
import { type ChunkLayout, chunkCount, parseObjectId, readObject } from '@lateen/kopia-format';
import { clientIdentity, type SnapshotIdentity } from '@lateen/repository';
import type { ServerSession } from '../client/server-session.ts';
import { incrementsIn } from '../stored/increments-tag.ts';
import { snapshotFacts } from '../stored/snapshot-facts.ts';
import { baseReasons, baseUnusable } from './base-unusable.ts';
import { fixedPieces } from './fixed-pieces.ts';

export interface BaseRequest {
  baseID: string;
  source: SnapshotIdentity;
  layout: ChunkLayout;
  signal: AbortSignal;
}

/** What a splice needs of its base. */
export interface BaseSnapshot {
  /** Content IDs of its chunks. */
  ids: string[];
  /** Splices since all of the volume was read, or a share of the unchanged chunks was verified; 0 for a snapshot that was not spliced. */
  incrementsSinceCheck: number;
}

/**
 * Reads a base snapshot. Checks that it is one that can be spliced: a whole snapshot of this source, one
 * file of this size, cut in chunks of this length.
 * @throws BASE_SNAPSHOT_UNUSABLE with the reason; REPOSITORY_SESSION_LOST and what else has nothing to do with the base
 */
export async function readBase(session: ServerSession, request: BaseRequest): Promise<BaseSnapshot> {
  const { baseID, layout, signal } = request;
  try {
    const { root, incrementsSinceCheck } = rootOf((await session.getManifest(baseID, { signal })).json, request);
    const folder = await bytesOf(session, root, signal);
    const file = onlyFileOf(folder.toString('utf8'));
    if (file.size !== layout.sizeBytes)
      throw baseUnusable(baseReasons.otherSize, `${file.size} bytes then, ${layout.sizeBytes} now`);
    return { ids: await chunkIDs(session, file.obj, layout, signal), incrementsSinceCheck };
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, 'SNAPSHOT_NOT_FOUND')) throw baseUnusable(baseReasons.gone, baseID, error);
    if (isAppError(error, 'CONTENT_MISSING') || isAppError(error, 'SNAPSHOT_CORRUPT'))
      throw baseUnusable(baseReasons.damaged, error.message, error);
    throw error;
  }
}

/** The root folder's object, and what the manifest says of verifications. @throws BASE_SNAPSHOT_UNUSABLE */
function rootOf(json: string, { source }: BaseRequest): { root: string; incrementsSinceCheck: number } {
  const facts = snapshotFacts(json);
  if (facts === undefined) throw baseUnusable(baseReasons.damaged, 'it is not a JSON object');
  const { source: stored, flaw, root, tags } = facts;
  const { hostname, username } = clientIdentity;
  if (stored.path !== source.path || stored.host !== hostname || stored.userName !== username)
    throw baseUnusable(baseReasons.otherVolume, `${String(stored.path)}, not ${source.path}`);
  if (flaw !== undefined) throw baseUnusable(baseReasons.incomplete, flaw);
  if (root === undefined) throw baseUnusable(baseReasons.otherVolume);
  return { root, incrementsSinceCheck: incrementsIn(tags) };
}

/** The file of a folder that has one and nothing else: the form of a block volume. @throws BASE_SNAPSHOT_UNUSABLE */
function onlyFileOf(folder: string): { size: number; obj: string } {
  const { entries } = parsed(folder) as { entries?: unknown };
  const [file, ...others] = (Array.isArray(entries) ? entries : []) as {
    type?: unknown;
    size?: unknown;
    obj?: unknown;
  }[];
  if (file?.type !== 'f' || typeof file.obj !== 'string' || others.length > 0)
    throw baseUnusable(baseReasons.otherVolume, 'it is not that of a block volume');
  return { size: typeof file.size === 'number' ? file.size : 0, obj: file.obj };
}

function parsed(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    throw baseUnusable(baseReasons.damaged, 'it is not JSON', error);
  }
  throw baseUnusable(baseReasons.damaged, 'it is not a JSON object');
}

/** Larger than any folder of one file. */
const folderBytesMax = 64 * 1024;

async function bytesOf(session: ServerSession, object: string, signal: AbortSignal): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of readObject(parseObjectId(object), contentsOf(session), signal)) {
    bytes += piece.length;
    if (bytes > folderBytesMax) throw baseUnusable(baseReasons.otherVolume, 'it has many files');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const contentsOf =
  (session: ServerSession) =>
  (id: string, signal: AbortSignal): Promise<Uint8Array> =>
    session.getContent(id, { signal });

/** @throws BASE_SNAPSHOT_UNUSABLE when a chunk has another place or length than the layout has */
async function chunkIDs(
  session: ServerSession,
  object: string,
  layout: ChunkLayout,
  signal: AbortSignal,
): Promise<string[]> {
  const pieces = await fixedPieces(session, parseObjectId(object), layout.sizeBytes, signal);
  const count = chunkCount(layout);
  if (pieces === undefined) return otherSplitter('its chunks have several lengths');
  // A splitter with larger chunks may have left it whole.
  if (pieces.ids.length !== count) return otherSplitter(`${pieces.ids.length} chunks, not ${count}`);
  return count === 1 || pieces.chunkBytes === layout.chunkBytes
    ? pieces.ids
    : otherSplitter(`chunks have ${pieces.chunkBytes} bytes`);
}

const otherSplitter = (how: string): never => {
  throw baseUnusable(baseReasons.otherSplitter, how);
};

/** @throws BASE_SNAPSHOT_UNUSABLE when the base has been deleted: maintenance may take what it alone referred to */
export async function checkBaseIsThere(session: ServerSession, baseID: string, signal: AbortSignal): Promise<void> {
  try {
    await session.getManifest(baseID, { signal });
  } catch (error) {
    if (isAppError(error, 'SNAPSHOT_NOT_FOUND')) throw baseUnusable(baseReasons.gone, baseID, error);
    throw error;
  }
}
