import { parseObjectId } from '@lateen/kopia-format';
import type { ServerSession } from '../client/server-session.ts';
import { snapshotFacts } from '../stored/snapshot-facts.ts';
import { sourceLabels } from '../stored/snapshot-texts.ts';
import { manifestJson } from '../stored/stored-snapshots.ts';

/** A snapshot of a file system volume. */
export interface TreeSnapshot {
  id: string;
  root: ReturnType<typeof parseObjectId>;
  startMs: number;
  isComplete: boolean;
  tags: Readonly<Record<string, unknown>>;
}

/** Snapshots of a source that are read; unfinished ones are deleted by the engine after the next upload. */
const snapshotsMax = 10_000;

/**
 * The snapshots from which kopia takes files of the same size and time without reading them, when it makes the next snapshot of the
 * source: the newest complete one, and each unfinished one after it (kopia: findPreviousSnapshotManifest). `also` is read too, if it
 * is there.
 */
export async function engineParents(
  session: ServerSession,
  path: string,
  also: string | undefined,
  signal: AbortSignal,
): Promise<{ parents: TreeSnapshot[]; named: TreeSnapshot | undefined }> {
  const found = await session.findManifests(sourceLabels(path), { signal });
  const all: TreeSnapshot[] = [];
  for (const { id } of found.slice(0, snapshotsMax)) {
    const snapshot = treeOf(await manifestJson(session, id, signal), id);
    if (snapshot !== undefined) all.push(snapshot);
  }
  const complete = all.filter(({ isComplete }) => isComplete);
  const newest = complete.reduce<TreeSnapshot | undefined>(
    (last, one) => (last === undefined || one.startMs > last.startMs ? one : last),
    undefined,
  );
  const unfinished = all.filter((one) => !one.isComplete && one.startMs >= (newest?.startMs ?? 0));
  return {
    parents: newest === undefined ? unfinished : [newest, ...unfinished],
    named: complete.find(({ id }) => id === also),
  };
}

/** Undefined for what has no folder: kopia finds nothing in it. */
function treeOf(json: string | undefined, id: string): TreeSnapshot | undefined {
  const facts = json === undefined ? undefined : snapshotFacts(json);
  if (facts?.root === undefined) return undefined;
  const { root, startMs, flaw, tags } = facts;
  return { id, root: parseObjectId(root), startMs, isComplete: flaw === undefined, tags };
}
