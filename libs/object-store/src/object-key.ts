import { AppError } from '@lateen/errors';
import { checkByteRange } from './byte-range.ts';
import type { ObjectStore } from './object-store.ts';

/** What S3, Azure and Google take (Amazon S3 user guide, "Naming Amazon S3 objects"; the others say the same). */
export const objectKeyBytesMax = 1_024;

/** So much of a key is shown in a message. */
const shownCharsMax = 200;

/**
 * Refuses what no object may be called: keys that a URL library, a proxy, a gateway or a file system between us and the
 * store takes for another key (dot segments, empty segments, `\` for `/`), and those that no store can hold. A slash at the
 * end is allowed: consoles make such objects as folders, and they have to be deleted too.
 * @throws OBJECT_KEY_INVALID
 */
export function checkObjectKey(key: string): void {
  const wrong = wrongInKey(key);
  if (wrong === undefined) return;
  const shown = JSON.stringify(key.length > shownCharsMax ? `${key.slice(0, shownCharsMax)}…` : key);
  throw new AppError('OBJECT_KEY_INVALID', `object key ${shown} is refused: ${wrong}`);
}

/** What is wrong with a key, or with a prefix of keys; undefined when nothing is. */
export function wrongInKey(key: string): string | undefined {
  if (key === '') return 'it is empty';
  // Before it is measured: what is not well-formed has no bytes of its own.
  if (!key.isWellFormed()) return 'it is not well-formed Unicode';
  if (Buffer.byteLength(key) > objectKeyBytesMax) return `it has more than ${objectKeyBytesMax} bytes`;
  if (/\p{Cc}/u.test(key)) return 'it has a control character';
  const parts = key.split('/');
  if (parts.some((part, at) => part === '' && (at === 0 || at < parts.length - 1))) return 'a part of it is empty';
  const dots = key.split(/[/\\]/).find((part) => part === '.' || part === '..');
  return dots === undefined ? undefined : `it has the part "${dots}"`;
}

/** `store` behind {@link checkObjectKey} and {@link checkByteRange}: whatever is done with a key that is refused ends before anything is sent. */
export function checkedKeys(store: ObjectStore): ObjectStore {
  return {
    listCommonPrefixes: (prefix, options) => store.listCommonPrefixes(prefix, options),
    list: (prefix, options) => store.list(prefix, options),
    exists: async (key, options) => {
      checkObjectKey(key);
      return await store.exists(key, options);
    },
    get: async (key, options) => {
      checkObjectKey(key);
      return await store.get(key, options);
    },
    put: async (key, body, options) => {
      checkObjectKey(key);
      await store.put(key, body, options);
    },
    read: async function* (key, options) {
      checkObjectKey(key);
      if (options?.range !== undefined) checkByteRange(options.range);
      yield* store.read(key, options);
    },
    write: async (key, pieces, options) => {
      checkObjectKey(key);
      await store.write(key, pieces, options);
    },
    endAbandonedWrites: async (key, options) => {
      checkObjectKey(key);
      return await store.endAbandonedWrites(key, options);
    },
    delete: async (key, options) => {
      checkObjectKey(key);
      await store.delete(key, options);
    },
    signedUrl: async (key, options) => {
      checkObjectKey(key);
      return await store.signedUrl(key, options);
    },
    close: () => store.close(),
  };
}
