import type { ObjectStore } from '@lateen/object-store';
import type { StoreOptions } from './file-store.ts';

/** Deletes under way at the same time. */
const atOnceMax = 16;

/**
 * Deletes everything in a directory but `keep`, and `last` when nothing else is left there: as long as it exists, it shows that there is something
 * to delete. Safe to repeat; an interrupted deletion continues.
 * @throws what the store throws; then `last` is still there
 */
export async function deleteDirectory(
  store: ObjectStore,
  { directory, last, keep }: { directory: string; last?: string; keep?: string | undefined },
  { signal }: StoreOptions = {},
): Promise<void> {
  let keys: string[] = [];
  const deleteAll = async () => {
    const ended = await Promise.allSettled(keys.map((key) => store.delete(key, { signal })));
    keys = [];
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  };
  for await (const { key } of store.list(directory, { signal })) {
    if (key === last || key === keep) continue;
    keys.push(key);
    if (keys.length >= atOnceMax) await deleteAll();
  }
  await deleteAll();
  if (last !== undefined) await store.delete(last, { signal });
}
