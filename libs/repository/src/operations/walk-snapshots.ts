import type { ContentTable } from './content-table.ts';
import { mustList } from './engine-step.ts';
import { objectParts } from './kopia-objects.ts';
import type { RepositorySession } from './repository-session.ts';

export interface SnapshotWalk {
  /** Object IDs of the snapshots' roots. */
  roots: Iterable<string>;
  /** Number of the volume in the table. */
  volume: number;
  table: ContentTable;
}

/** Contents shown by one process: 35 bytes of arguments each, of the 2 MiB that a process may have. */
const shownMax = 5_000;

/**
 * Visits every content that the snapshots of a volume need, level by level: folders and lists of pieces are read, files
 * are not. Returns the bytes they take. A content that is named often is visited, and a folder read, once.
 * @throws as `session.failure`; ENGINE_BAD_ANSWER; the signal's reason on abort
 */
export async function walkSnapshots(
  session: RepositorySession,
  { roots, volume, table }: SnapshotWalk,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0;
  /** Contents that are folders or lists in themselves. */
  const plain: string[] = [];
  /** Folders and lists that kopia has to put together. */
  const composed: string[] = [];

  /** `read`: what it holds names further objects. False when this volume has named it before. */
  const need = (objectID: string, read: boolean): boolean => {
    const parts = objectParts(objectID);
    if (parts.kind === 'list') {
      const isNew = need(parts.listObject, true);
      if (read && isNew) composed.push(objectID);
      return isNew;
    }
    const found = table.visit(parts.contentID, volume);
    if (found === undefined) return false;
    bytes += found;
    if (read && parts.plain) plain.push(parts.contentID);
    else if (read) composed.push(objectID);
    return true;
  };
  /** An entry of a folder has `obj`, a piece of a list has `o`. */
  const onObject = ({ obj, type, o }: Record<string, unknown>): void => {
    if (typeof obj === 'string' && obj !== '') need(obj, type === 'd');
    if (typeof o === 'string') need(o, false);
  };
  const doing = 'following the snapshots';
  for (const root of roots) need(root, true);
  while (plain.length + composed.length > 0) {
    const shown = plain.splice(-shownMax);
    if (shown.length > 0) {
      await mustList(session, doing, ['content', 'show', ...shown], { depth: 3, onObject, signal });
    } else {
      const objectID = composed.pop() ?? '';
      await mustList(session, doing, ['show', objectID], { depth: 3, onObject, signal });
    }
  }
  return bytes;
}
