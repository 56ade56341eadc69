import { gzipPieces } from '@lateen/archive';
import { AppError, isAppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import type { JsonFile } from '../json/json-file.ts';
import { fileBytesMax } from '../read/file-limits.ts';
import { readText, unpacked } from '../read/read-file.ts';

export interface StoreOptions {
  signal?: AbortSignal | undefined;
}

/** How files of any kind are brought and stored; both stores are made of it. */
export interface FileStore {
  /** @returns undefined when there is no such file */
  get<T>(file: JsonFile<T>, key: string, options?: StoreOptions): Promise<T | undefined>;
  /** A file of many documents, as they come; none when there is no such file. */
  lines<T>(
    documents: (pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<T>,
    key: string,
    options?: StoreOptions,
  ): AsyncGenerator<T>;
  put<T>(file: JsonFile<T>, key: string, value: T, options?: StoreOptions): Promise<void>;
  /** Packs the pieces as they come. */
  write(
    key: string,
    pieces: AsyncIterable<string | Uint8Array> | Iterable<string>,
    options?: StoreOptions,
  ): Promise<void>;
  /** Stores the pieces as they are. Their source ends in any case. */
  writePacked(key: string, pieces: AsyncIterable<Uint8Array>, options?: StoreOptions): Promise<void>;
}

export function fileStore(store: ObjectStore): FileStore {
  const writePacked: FileStore['writePacked'] = async (key, pieces, { signal } = {}) => {
    try {
      await store.write(key, pieces, { signal });
    } catch (error) {
      // A store that failed before it began has left the source waiting for a reader.
      await pieces[Symbol.asyncIterator]().return?.();
      throw error;
    }
  };
  const write: FileStore['write'] = (key, pieces, options) => writePacked(key, gzipPieces(pieces), options);
  return {
    writePacked,
    write,
    get: async (file, key, { signal } = {}) => {
      const text = await readText(store, { key, packed: true, bytesMax: fileBytesMax.list, signal });
      return text === undefined ? undefined : about(key, () => file.parse(text));
    },
    lines: async function* (documents, key, { signal } = {}) {
      try {
        yield* documents(unpacked(store.read(key, { signal }), key));
      } catch (error) {
        if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
      }
    },
    put: (file, key, value, options) => write(key, [file.text(value)], options),
  };
}

/** Errors name the object. */
export function about<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isAppError(error, 'BACKUP_FILE_BROKEN')) throw error;
    throw new AppError(error.code, `object "${key}" is damaged: ${error.message}`, {
      cause: error.cause,
      nextStep: 'Neither Lateen nor Velero writes it like this; check what else writes to the bucket.',
    });
  }
}
