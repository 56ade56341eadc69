import { AppError } from '@lateen/errors';
import { orAborted, type Random, systemRandom } from '@lateen/kernel';
import { checkedKeys, type ObjectStore } from '@lateen/object-store';
import { deleteFile, deleteTemporaries } from './delete-file.ts';
import { fsError, objectNotFound } from './fs-error.ts';
import { keyPathOf } from './key-path.ts';
import { listDirectories, listFiles } from './list-files.ts';
import { openFile, readFile } from './read-file.ts';
import { replaceFile } from './replace-file.ts';

export interface FsStoreConfig {
  /** config.fspath: a directory that exists. */
  fspath: string;
  /** What it is called in errors of the file system; the path when absent. */
  shown?: string;
  /** What to do when it is not there. */
  missing?: string;
}

export interface FsLimits {
  /** Largest object `get` takes; what is read whole is metadata, never volume data. */
  objectBytesMax: number;
  /** Names of one directory that are held to be sorted. */
  entriesMax: number;
}

export const fsLimitsDefault: FsLimits = { objectBytesMax: 256 * 1024 * 1024, entriesMax: 1_000_000 };

export interface FsStoreDeps {
  random?: Random;
  limits?: Partial<FsLimits>;
}

/** An ObjectStore on a directory. Nothing is touched when it is made. */
export function fsStore(config: FsStoreConfig, deps: FsStoreDeps = {}): ObjectStore {
  const { fspath, shown = fspath, missing = 'Mount the share into the pods, or correct config.fspath.' } = config;
  const directory = { shown, missing };
  const random = deps.random ?? systemRandom;
  const limits = { ...fsLimitsDefault, ...deps.limits };
  const attempt = async <Result>(subject: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw fsError(error, directory, subject);
    }
  };
  const write = (key: string, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) =>
    attempt(`object "${key}"`, () => replaceFile(fspath, keyPathOf(key), random, pieces, signal));
  // A hung mount does not answer: an aborted caller continues at once, and the call itself ends when the mount does.
  return checkedKeys({
    listCommonPrefixes: (prefix, { signal } = {}) =>
      orAborted(
        attempt('a listing', () => listDirectories(fspath, prefix, limits, signal)),
        signal,
      ),
    list: (prefix, { signal } = {}) =>
      named(listFiles(fspath, prefix, limits, signal), signal, (error) => fsError(error, directory, 'a listing')),
    exists: (key, { signal } = {}) =>
      orAborted(
        attempt(`object "${key}"`, () => exists(fspath, key, signal)),
        signal,
      ),
    get: (key, { signal } = {}) =>
      orAborted(
        attempt(`object "${key}"`, () => get(fspath, key, limits.objectBytesMax, signal)),
        signal,
      ),
    put: (key, body, { signal } = {}) => write(key, onePiece(body), signal),
    read: (key, { signal, range } = {}) =>
      named(readFile(fspath, key, { signal, range }), signal, (error) => fsError(error, directory, `object "${key}"`)),
    write: (key, pieces, { signal } = {}) => write(key, pieces, signal),
    endAbandonedWrites: (key, { signal } = {}) =>
      attempt(`object "${key}"`, () => deleteTemporaries(fspath, key, signal)),
    delete: (key, { signal } = {}) => attempt(`object "${key}"`, () => deleteFile(fspath, key, signal)),
    signedUrl: async (_, { signal }) => {
      signal?.throwIfAborted();
      throw new AppError('SIGNED_URL_UNSUPPORTED', `directory ${shown} cannot be downloaded from by a URL`, {
        nextStep: 'Read the file where the directory is mounted, or use an object store.',
      });
    },
    close: async () => {},
  });
}

async function exists(fspath: string, key: string, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  const file = await openFile(fspath, key);
  await file?.close();
  return file !== undefined;
}

async function get(
  fspath: string,
  key: string,
  bytesMax: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const file = await openFile(fspath, key);
  if (file === undefined) throw objectNotFound(fspath, key);
  try {
    if ((await file.stat()).size <= bytesMax) return await file.readFile();
  } finally {
    await file.close();
  }
  throw new AppError('OBJECT_STORE_BAD_ANSWER', `object "${key}" is larger than the ${bytesMax} bytes that are read`);
}

/** A stream with its errors named, whose waits end with an abort. */
async function* named<Piece>(
  source: AsyncGenerator<Piece>,
  signal: AbortSignal | undefined,
  name: (error: unknown) => unknown,
): AsyncGenerator<Piece> {
  let ended = false;
  try {
    for (;;) {
      const next = await orAborted(source.next(), signal);
      if (next.done === true) break;
      yield next.value;
    }
    ended = true;
  } catch (error) {
    throw name(error);
  } finally {
    // Not awaited after an abort: a hung read would hold the caller. It closes its file when it ends.
    const closing = ended ? undefined : source.return(undefined);
    if (signal?.aborted === true) closing?.catch(() => {});
    else await closing;
  }
}

async function* onePiece(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
