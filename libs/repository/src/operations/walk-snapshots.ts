import type { ContentTable } from './content-table.ts';
import { mustList } from './engine-step.ts';
import type { RepositorySession } from './repository-session.ts';

/** One volume and the roots from which it is followed. */
export interface VolumeRoots {
  /** Number of the volume in the table. */
  volume: number;
  /** Object IDs of its snapshots' roots. */
  roots: Iterable<string>;
}

export interface SnapshotWalk {
  /** At most `volumesAtOnceMax`, of one group of the table. */
  volumes: readonly VolumeRoots[];
  table: ContentTable;
  /** Called with the number of folders and lists that were read since the last call. */
  onRead?: (count: number) => void;
}

/** The most contents that one process shows: 35 bytes of arguments each, of the 2 MiB that a process may have. */
const shownMax = 5_000;

/** An object that names further objects, and the volume for which it is read. */
interface ToRead {
  id: string;
  volume: number;
}

/**
 * Visits every content that the snapshots of some volumes need: folders and lists of pieces are read, files are not. The volumes
 * are followed at the same time, so that one process shows the next objects of all of them: each start of kopia reads the indexes
 * of the repository, which takes far longer than reading a folder. The newest objects are read first, which bounds the queue.
 * Returns the bytes of each volume, by its number. For each volume, a content is visited once and a folder is read once, however
 * often the volume names it.
 * @throws as `session.failure`; ENGINE_BAD_ANSWER; the signal's reason on abort
 */
export async function walkSnapshots(
  session: RepositorySession,
  { volumes, table, onRead }: SnapshotWalk,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const bytes = new Map(volumes.map(({ volume }) => [volume, 0]));
  /** Folders and lists that are stored as a single content. */
  const plain: ToRead[] = [];
  /** Folders and lists that kopia has to assemble from several contents. */
  const composed: ToRead[] = [];

  /** `read`: the object names further objects. False when this volume has named it before. */
  const need = (objectID: string, volume: number, read: boolean): boolean => {
    const parts = objectParts(objectID);
    if (parts.kind === 'list') {
      const isNew = need(parts.listObject, volume, true);
      if (read && isNew) composed.push({ id: objectID, volume });
      return isNew;
    }
    const found = table.visit(parts.contentID, volume);
    if (found === undefined) return false;
    bytes.set(volume, (bytes.get(volume) ?? 0) + found);
    if (read) (parts.plain ? plain : composed).push({ id: parts.plain ? parts.contentID : objectID, volume });
    return true;
  };
  /** An entry of a folder has `obj`, a piece of a list has `o`. */
  const follow = ({ obj, type, o }: Record<string, unknown>, volume: number): void => {
    if (typeof obj === 'string' && obj !== '') need(obj, volume, type === 'd');
    if (typeof o === 'string') need(o, volume, false);
  };
  for (const { volume, roots } of volumes) for (const root of roots) need(root, volume, true);
  const readAll = async (command: readonly string[], next: readonly ToRead[]): Promise<void> => {
    const byId = Map.groupBy(next, ({ id }) => id);
    const readers = [...byId.values()];
    // kopia prints the objects in the order of the arguments.
    const onObject = (object: Record<string, unknown>, document: number): void => {
      for (const { volume } of readers[document] ?? []) follow(object, volume);
    };
    await mustList(session, 'following the snapshots', [...command, ...byId.keys()], { depth: 3, onObject, signal });
    onRead?.(byId.size);
  };
  while (plain.length + composed.length > 0) {
    if (plain.length > 0) await readAll(['content', 'show'], plain.splice(-shownMax));
    else await readAll(['show'], composed.splice(-1));
  }
  return bytes;
}

/**
 * The parts of a kopia object ID: the ID of a content; each `I` before it means a list of the pieces into which the object was
 * cut, and that list is an object itself; a `Z` means a content that the object layer has compressed.
 */
type ObjectParts = { kind: 'content'; contentID: string; plain: boolean } | { kind: 'list'; listObject: string };

function objectParts(objectID: string): ObjectParts {
  if (objectID.startsWith('I')) return { kind: 'list', listObject: objectID.slice(1) };
  if (objectID.startsWith('Z')) return { kind: 'content', contentID: objectID.slice(1), plain: false };
  return { kind: 'content', contentID: objectID, plain: true };
}
