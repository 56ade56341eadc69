import type { ObjectStore } from '@lateen/object-store';

/**
 * A store that is made at its first call, once, however many calls come at the same time. A making that fails is the
 * error of the calls that waited for it, and is tried again by the next one. `close` of one that was never made does nothing.
 */
export function lazyStore(make: () => Promise<ObjectStore>): ObjectStore {
  let made: Promise<ObjectStore> | undefined;
  const store = (): Promise<ObjectStore> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    listCommonPrefixes: async (prefix, options) => (await store()).listCommonPrefixes(prefix, options),
    list: async function* (prefix, options) {
      yield* (await store()).list(prefix, options);
    },
    exists: async (key, options) => (await store()).exists(key, options),
    get: async (key, options) => (await store()).get(key, options),
    put: async (key, body, options) => (await store()).put(key, body, options),
    read: async function* (key, options) {
      yield* (await store()).read(key, options);
    },
    write: async (key, pieces, options) => (await store()).write(key, pieces, options),
    endAbandonedWrites: async (key, options) => (await store()).endAbandonedWrites(key, options),
    delete: async (key, options) => (await store()).delete(key, options),
    signedUrl: async (key, options) => (await store()).signedUrl(key, options),
    close: async () => {
      await (await made)?.close();
    },
  };
}
