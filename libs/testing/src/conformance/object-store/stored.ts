import type { ObjectStore } from '@lateen/object-store';

/** All keys below the prefix, in the order of the listing. */
export const keysOf = async (
  store: ObjectStore,
  prefix: string,
  options: { signal?: AbortSignal } = {},
): Promise<string[]> => (await Array.fromAsync(store.list(prefix, options))).map(({ key }) => key);

/** `key size` of every object below the prefix. */
export const summaries = async (store: ObjectStore, prefix: string): Promise<string[]> =>
  (await Array.fromAsync(store.list(prefix))).map(({ key, sizeBytes }) => `${key} ${sizeBytes}`);
