import type { ObjectStore, ObjectSummary } from '@lateen/object-store';

/** The objects under a prefix, in order of their keys. */
export async function filesUnder(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<ObjectSummary[]> {
  const files: ObjectSummary[] = [];
  for await (const object of store.list(prefix, { signal })) files.push(object);
  return files;
}

/** Bytes under a prefix. */
export async function storedBytes(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<number> {
  let sum = 0;
  for await (const object of store.list(prefix, { signal })) sum += object.sizeBytes;
  return sum;
}

/** Deletes everything under a prefix, which is the demo's own repository, so that a second run starts without it. */
export async function emptyPrefix(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<void> {
  for (const { key } of await filesUnder(store, prefix, signal)) await store.delete(key, { signal });
}
