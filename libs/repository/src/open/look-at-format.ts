import { createHash } from 'node:crypto';
import { isAppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import type { ResolvedLocation } from '@lateen/storage-location';
import { blobNaming } from '../conventions/blob-naming.ts';
import { formatBlobName, type RepositoryType, repositoryPrefix } from '../conventions/repository-names.ts';
import { resticPlace } from '../restic/restic-place.ts';
import { uniqueIDOf } from './repository-facts.ts';

/** The object without which no engine can open a repository. */
export interface FormatLook {
  /** Changes with every change of the object; a fixed word when there is no object. */
  fingerprint: string;
  /** As far as that is visible without the password: for restic, only that the object exists. */
  isReadable: boolean;
}

/** kopia's has about one KiB, restic's 155 bytes. A longer object is neither. */
const bytesMax = 64 * 1024;

/** One small read. @throws OBJECT_STORE_…, BUCKET_NOT_FOUND; the signal's reason on abort */
export async function lookAtFormat(
  store: Pick<ObjectStore, 'read'>,
  location: ResolvedLocation,
  { engine, volumeNamespace }: { engine: RepositoryType; volumeNamespace: string },
  { signal }: { signal: AbortSignal },
): Promise<FormatLook> {
  const key =
    engine === 'kopia'
      ? blobNaming(location, repositoryPrefix(location.prefix, volumeNamespace)).keyOf(formatBlobName)
      : `${resticPlace(location, volumeNamespace).prefix}config`;
  const bytes = await beginning(store, key, signal);
  if (bytes === undefined) return { fingerprint: 'none', isReadable: false };
  const fingerprint = createHash('sha256').update(bytes).digest('base64');
  const isWhole = bytes.length > 0 && bytes.length <= bytesMax;
  return { fingerprint, isReadable: isWhole && (engine === 'restic' || uniqueIDOf(bytes.toString()) !== undefined) };
}

/** The object, or its beginning when it is longer than allowed; undefined when there is none. */
async function beginning(
  store: Pick<ObjectStore, 'read'>,
  key: string,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of store.read(key, { signal })) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    if (isAppError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  }
  return Buffer.concat(pieces);
}
