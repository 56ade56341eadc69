import { AppError } from '@lateen/errors';
import type { ObjectStore } from './object-store.ts';

/**
 * `store` without its changes: put, write, endAbandonedWrites and delete reject with LOCATION_READ_ONLY before anything is sent, and the
 * source of a `write` is not begun.
 * @param locationName the BackupStorageLocation whose accessMode is ReadOnly
 * @param writableBelow objects whose keys begin with this can be written all the same, but not deleted; none by default
 */
export function readOnlyStore(store: ObjectStore, locationName: string, writableBelow?: string): ObjectStore {
  const isWritable = (key: string) => writableBelow !== undefined && key.startsWith(writableBelow);
  const refuse = async (what: string): Promise<never> => {
    throw new AppError('LOCATION_READ_ONLY', `${what}: BackupStorageLocation "${locationName}" is read-only`, {
      nextStep: 'Set its spec.accessMode to ReadWrite, or use another location.',
    });
  };
  return {
    ...readsOf(store),
    put: (key, body, options) =>
      isWritable(key) ? store.put(key, body, options) : refuse(`object "${key}" is not written`),
    write: (key, pieces, options) =>
      isWritable(key) ? store.write(key, pieces, options) : refuse(`object "${key}" is not written`),
    endAbandonedWrites: (key, options) =>
      isWritable(key) ? store.endAbandonedWrites(key, options) : refuse(`object "${key}" keeps its unfinished writes`),
    delete: (key) => refuse(`object "${key}" is not deleted`),
  };
}

function readsOf(store: ObjectStore): Omit<ObjectStore, 'put' | 'write' | 'endAbandonedWrites' | 'delete'> {
  return {
    listCommonPrefixes: (prefix, options) => store.listCommonPrefixes(prefix, options),
    list: (prefix, options) => store.list(prefix, options),
    exists: (key, options) => store.exists(key, options),
    get: (key, options) => store.get(key, options),
    read: (key, options) => store.read(key, options),
    signedUrl: (key, options) => store.signedUrl(key, options),
    close: () => store.close(),
  };
}
