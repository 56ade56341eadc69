import type { DownloadTargetKind } from '@lateen/api-types';
import type { JsonFile } from '@lateen/backup-store';
import { AppError, byteSize, isAppError } from '@lateen/errors';

/** Downloads one file of a run, unpacked, and passes it on in pieces. @throws as `downloadFile` */
export type BringFile = <R>(
  kind: DownloadTargetKind,
  use: (pieces: AsyncIterable<Uint8Array>) => Promise<R>,
) => Promise<R>;

/** The result of reading one file. Absent when the file was not requested. */
export type FileRead<T> = { kind: 'read'; value: T } | { kind: 'missing' } | { kind: 'failed'; error: unknown };

/** The size limit; the resource list of a backup of a million objects has half of it. */
const bytesMax = 256 * 1024 * 1024;

/**
 * Reads a file with `use`. A missing file and a failed download are results, because the other facts are worth showing.
 * @throws only the signal's reason
 */
export async function readFile<T>(
  bring: BringFile,
  kind: DownloadTargetKind,
  use: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
  signal: AbortSignal,
): Promise<FileRead<T>> {
  try {
    return { kind: 'read', value: await bring(kind, use) };
  } catch (error) {
    signal.throwIfAborted();
    // A server that does not know this kind of file refuses the request.
    const isMissing = isAppError(error, 'FILE_NOT_FOUND') || isAppError(error, 'KUBE_INVALID');
    return isMissing ? { kind: 'missing' } : { kind: 'failed', error };
  }
}

/** The same for a JSON file. */
export const readJsonFile = async <T>(
  bring: BringFile,
  kind: DownloadTargetKind,
  file: Pick<JsonFile<T>, 'parse'>,
  signal: AbortSignal,
): Promise<FileRead<T>> => await readFile(bring, kind, async (pieces) => file.parse(await wholeText(pieces)), signal);

/** @throws AppError FILE_TOO_LARGE */
async function wholeText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax)
      throw new AppError('FILE_TOO_LARGE', `the file is larger than ${byteSize(bytesMax)} and cannot be shown`);
    all.push(piece);
  }
  return Buffer.concat(all).toString('utf8');
}
