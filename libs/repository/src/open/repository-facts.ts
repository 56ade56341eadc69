import { AppError, isAppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import type { BlobNaming } from '../conventions/blob-naming.ts';
import { formatBlobName, halfMadeBlobName, markerBlobName } from '../conventions/repository-names.ts';
import type { RepositoryFacts } from './decide-initialisation.ts';
import { restoreObject } from './restore-object.ts';

/** Reads what is stored under a repository's prefix: two reads and, if there is no repository, one listing. */
export async function gatherRepositoryFacts(
  store: ObjectStore,
  names: BlobNaming,
  readOnly: boolean,
  options: { signal: AbortSignal },
): Promise<RepositoryFacts> {
  const [uniqueID, markerID] = await Promise.all([
    readUniqueID(store, names.keyOf(formatBlobName), options),
    readUniqueID(store, names.keyOf(markerBlobName), options),
  ]);
  const blobs = uniqueID === undefined ? await firstBlobs(store, names, options) : [];
  const halfMade = blobs.length === 1 && blobs[0] === names.keyOf(halfMadeBlobName);
  return { uniqueID, markerID, otherBlobs: blobs.length > 0 && !halfMade, halfMade, readOnly };
}

/** Removes the blobs of an interrupted creation, because kopia refuses to create a repository next to any blob. */
export async function removeHalfMade(
  store: ObjectStore,
  names: BlobNaming,
  options: { signal: AbortSignal },
): Promise<void> {
  await store.delete(names.keyOf(halfMadeBlobName), options);
}

/** Writes the blob by which Velero recognises an initialised repository. */
export async function writeMarker(
  store: ObjectStore,
  names: BlobNaming,
  uniqueID: string,
  options: { signal: AbortSignal },
): Promise<void> {
  await store.put(names.keyOf(markerBlobName), new TextEncoder().encode(JSON.stringify({ uniqueID })), options);
}

/** Both blobs are JSON with a base64 `uniqueID`; kopia's format blob is not encrypted at this level. */
async function readUniqueID(
  store: ObjectStore,
  key: string,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const body = await store.get(key, options).catch((error: unknown) => {
    if (isAppError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  });
  if (body === undefined) return undefined;
  const uniqueID = uniqueIDOf(new TextDecoder().decode(body));
  if (uniqueID !== undefined) return uniqueID;
  throw new AppError('REPOSITORY_CORRUPTED', `object "${key}" is damaged: it is not what a repository has there`, {
    retry: 'later',
    nextStep: restoreObject,
  });
}

/** Undefined for text that is neither a format blob nor a marker. */
export function uniqueIDOf(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('uniqueID' in parsed)) return undefined;
    return typeof parsed.uniqueID === 'string' && parsed.uniqueID !== '' ? parsed.uniqueID : undefined;
  } catch {
    return undefined;
  }
}

/** Two blobs are enough to distinguish "nothing", "one" and "more". */
async function firstBlobs(store: ObjectStore, names: BlobNaming, options: { signal: AbortSignal }): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(names.prefix, options)) {
    if (names.counts(key)) keys.push(key);
    if (keys.length === 2) break;
  }
  return keys;
}
