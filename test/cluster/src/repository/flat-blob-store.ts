import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { RepositoryStore } from '@lateen/kopia-format';

/** A repository that kopia stores in one directory (`--flat`), read as if it were in a bucket. */
export function flatBlobStore(directory: string): RepositoryStore {
  const pathOf = (key: string) => join(directory, `${key}.f`);
  const missing = (key: string) => (error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new AppError('OBJECT_NOT_FOUND', `there is no ${key}`) : error;
  };
  return {
    listPrefix: '',
    keyOf: (blobId) => blobId,
    store: {
      get: (key) => readFile(pathOf(key)).catch(missing(key)),
      read: async function* (key, { range } = {}) {
        const file = await open(pathOf(key)).catch(missing(key));
        try {
          const { offset = 0, length = (await file.stat()).size } = range ?? {};
          const bytes = Buffer.alloc(length);
          await file.read(bytes, 0, length, offset);
          yield bytes;
        } finally {
          await file.close();
        }
      },
      list: async function* (prefix) {
        const names = (await readdir(directory))
          .filter((name) => name.startsWith(prefix) && name.endsWith('.f'))
          .sort();
        for (const name of names) yield { key: name.slice(0, -2), sizeBytes: (await stat(join(directory, name))).size };
      },
    },
  };
}
