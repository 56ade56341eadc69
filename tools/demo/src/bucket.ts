import type { ObjectStore } from '@lateen/object-store';

/** Bytes under a prefix. */
export async function storedBytes(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<number> {
  let sum = 0;
  for await (const object of store.list(prefix, { signal })) sum += object.sizeBytes;
  return sum;
}

/** Deletes everything under a prefix; the demo's own repository, so that a second run starts from nothing again. */
export async function emptyPrefix(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<void> {
  const keys: string[] = [];
  for await (const object of store.list(prefix, { signal })) keys.push(object.key);
  for (const key of keys) await store.delete(key, { signal });
}
