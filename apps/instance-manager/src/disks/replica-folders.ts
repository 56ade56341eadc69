import { join } from 'node:path';
import type { Call, ReplicaFolder } from '@lateen/block-engine';
import { describeError } from '@lateen/errors';
import { parseRecord } from '@lateen/replica-store';
import type { Files } from '@lateen/volume';

type FolderFiles = Pick<Files, 'list' | 'readText' | 'facts'>;

/** Limit of listed folders: a disk has some hundred replicas. */
const foldersMax = 10_000;

/** The folders below `replicas` of a disk, of any volume; `directory` is the folder's name there. */
export async function* replicaFolders(
  files: FolderFiles,
  disk: string,
  { signal }: Call,
): AsyncGenerator<ReplicaFolder> {
  const above = join(disk, 'replicas');
  const names = await files.list(above).catch(ifMissing);
  for (const name of names.sort().slice(0, foldersMax)) {
    signal.throwIfAborted();
    yield await folderOf(files, join(above, name), name);
  }
}

async function folderOf(files: FolderFiles, path: string, directory: string): Promise<ReplicaFolder> {
  try {
    const actualBytes = await bytesIn(files, path);
    const recordPath = join(path, 'replica.json');
    const text = await files.readText(recordPath);
    if (text === undefined) return { directory, actualBytes, problem: 'there is no replica.json' };
    try {
      const { volume, volumeUid, replica } = parseRecord(text, recordPath);
      return { directory, actualBytes, volume, volumeUid, replica };
    } catch (error) {
      return { directory, actualBytes, problem: describeError(error) };
    }
  } catch (error) {
    return { directory, actualBytes: 0n, problem: describeError(error) };
  }
}

async function bytesIn(files: FolderFiles, path: string): Promise<bigint> {
  let bytes = 0n;
  for (const name of await files.list(path)) {
    const facts = await files.facts(join(path, name));
    bytes += BigInt(facts?.allocatedBytes ?? 0);
  }
  return bytes;
}

/** A disk without replicas has no such folder. */
const ifMissing = (error: NodeJS.ErrnoException): string[] => {
  if (error.code === 'ENOENT') return [];
  throw error;
};
