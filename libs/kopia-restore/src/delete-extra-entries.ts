import type { ObjectId } from '@lateen/kopia-format';
import type { RestoreLimits, RestorePorts } from './restore-ports.ts';
import { pathIn } from './tree-entry.ts';

/**
 * Deletes what the volume has in folders of the snapshot and the snapshot does not have, before anything is written, so that its
 * room is there. Folders that the volume lacks are not looked into. One folder after the other, each with all of its names in memory.
 */
export async function deleteExtraEntries(
  { folders: source, pool }: Pick<RestorePorts, 'folders' | 'pool'>,
  _limits: RestoreLimits,
  root: ObjectId,
  signal: AbortSignal,
): Promise<void> {
  const { read } = source(signal);
  const left: { path: string; objectId: ObjectId }[] = [{ path: '', objectId: root }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, objectId } = next;
    const names: string[] = [];
    const isFolder: boolean[] = [];
    const folders: { path: string; objectId: ObjectId }[] = [];
    for await (const entries of read(objectId)) {
      for (const { name, type, objectId: below } of entries) {
        names.push(name);
        isFolder.push(type === 'folder');
        if (type === 'folder' && below !== undefined) folders.push({ path: pathIn(path, name), objectId: below });
      }
    }
    const { there } = await pool.run({ kind: 'delete-extra', path, names, isFolder }, signal);
    if (there?.[0] === 1) left.push(...folders);
  }
}
