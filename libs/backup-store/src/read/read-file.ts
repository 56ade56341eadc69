import { inflate } from '@lateen/archive';
import { AppError, byteSize, isAppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';

export interface FileReading {
  key: string;
  /** Not all are gzipped. */
  packed: boolean;
  bytesMax: number;
  signal: AbortSignal | undefined;
}

/**
 * The text of a file.
 * @returns undefined when there is none
 * @throws BACKUP_FILE_BROKEN, BACKUP_FILE_TOO_LARGE, what the store throws
 */
export async function readText(
  store: ObjectStore,
  { key, packed, bytesMax, signal }: FileReading,
): Promise<string | undefined> {
  const stored = store.read(key, { signal });
  try {
    const held: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of packed ? unpacked(stored, key) : stored) {
      bytes += piece.length;
      if (bytes > bytesMax) {
        throw new AppError(
          'BACKUP_FILE_TOO_LARGE',
          `object "${key}" has more than ${byteSize(bytesMax)}, the most that is read`,
        );
      }
      held.push(piece);
    }
    return Buffer.concat(held).toString('utf8');
  } catch (error) {
    if (isAppError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** What is in a gzipped object, in pieces. @throws BACKUP_FILE_BROKEN, what `pieces` throws */
export const unpacked = (pieces: AsyncIterable<Uint8Array>, key: string): AsyncGenerator<Uint8Array> =>
  inflate(
    pieces,
    (what, cause) => new AppError('BACKUP_FILE_BROKEN', `object "${key}" is damaged or incomplete: ${what}`, { cause }),
  );
