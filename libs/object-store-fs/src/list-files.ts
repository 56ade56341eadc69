import { type FileHandle, lstat, readdir } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { ObjectSummary } from '@lateen/object-store';
import { errnoOf } from './fs-error.ts';
import { prefixPathOf, temporaryPrefix } from './key-path.ts';
import { entryOf, openDirectory } from './open-directory.ts';

export interface ListingLimits {
  /** Names of one directory that are held to be sorted. */
  entriesMax: number;
}

interface Entry {
  name: string;
  isDirectory: boolean;
}

/** Files below a prefix in the order of their keys' bytes. Holds the names of the directories on its way, no more. */
export async function* listFiles(
  fspath: string,
  prefix: string,
  limits: ListingLimits,
  signal: AbortSignal | undefined,
): AsyncGenerator<ObjectSummary> {
  signal?.throwIfAborted();
  const from = prefixPathOf(prefix);
  yield* walk(fspath, from?.directories ?? [], from === undefined ? '/' : from.begin, limits, signal);
}

/** The directories right below a prefix in which there is at least one file. */
export async function listDirectories(
  fspath: string,
  prefix: string,
  limits: ListingLimits,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  signal?.throwIfAborted();
  const from = prefixPathOf(prefix);
  const found: string[] = [];
  const entries = await entriesOf(fspath, from?.directories ?? [], from === undefined ? '/' : from.begin, limits);
  for (const { name, isDirectory } of entries) {
    if (!isDirectory || from === undefined) continue;
    const files = walk(fspath, [...from.directories, name], '', limits, signal);
    if ((await files.next()).done !== true) found.push(name);
    await files.return(undefined);
  }
  return found.sort();
}

async function* walk(
  fspath: string,
  directories: readonly string[],
  begin: string,
  limits: ListingLimits,
  signal: AbortSignal | undefined,
): AsyncGenerator<ObjectSummary, undefined> {
  for (const { name, isDirectory } of await entriesOf(fspath, directories, begin, limits)) {
    signal?.throwIfAborted();
    if (isDirectory) {
      yield* walk(fspath, [...directories, name], '', limits, signal);
      continue;
    }
    const told = await toldOf(fspath, directories, name);
    if (told !== undefined) yield { key: [...directories, name].join('/'), ...told };
  }
}

async function entriesOf(
  fspath: string,
  directories: readonly string[],
  begin: string,
  limits: ListingLimits,
): Promise<Entry[]> {
  const directory = await openDirectory(fspath, directories, false);
  if (directory === undefined) return [];
  try {
    const entries = await readdir(entryOf(directory, '.'), { withFileTypes: true });
    if (entries.length > limits.entriesMax) {
      throw new AppError(
        'OBJECT_STORE_BAD_ANSWER',
        `a directory of ${fspath} has more than ${limits.entriesMax} entries`,
      );
    }
    return entries
      .filter((entry) => (entry.isFile() || entry.isDirectory()) && entry.name.startsWith(begin))
      .filter((entry) => !entry.name.startsWith(temporaryPrefix))
      .map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }))
      .sort(byKey);
  } finally {
    await directory.close();
  }
}

/** A directory stands where its keys do: "a-b" is before "a/b". */
const byKey = (a: Entry, b: Entry): number => Buffer.compare(sortName(a), sortName(b));
const sortName = ({ name, isDirectory }: Entry): Buffer => Buffer.from(isDirectory ? `${name}/` : name);

/** Undefined when it was deleted since it was listed. */
async function toldOf(
  fspath: string,
  directories: readonly string[],
  name: string,
): Promise<Omit<ObjectSummary, 'key'> | undefined> {
  let directory: FileHandle | undefined;
  try {
    directory = await openDirectory(fspath, directories, false);
    if (directory === undefined) return undefined;
    const stats = await lstat(entryOf(directory, name));
    return stats.isFile() ? { sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs } : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  } finally {
    await directory?.close();
  }
}
