import type { ContentKeys } from './content-keys.ts';
import type { ContentLocation } from './content-location.ts';
import type { Manifest } from './manifests/manifest.ts';

/**
 * A kopia repository, opened for reading. Nothing is written to it, and no lock is taken: as with kopia itself, maintenance keeps what
 * was in use a day ago. Calls may run beside each other. All reject with the store's errors and with the signal's reason.
 */
export interface KopiaRepository {
  /** For `contentDecoder`, also in other threads. */
  readonly keys: ContentKeys;
  /**
   * Where contents are, in the order of the ids, undefined for what is not in the index, also after it was read again. Best queried in
   * large batches: for tens of thousands of ids the whole index may be read once from scratch.
   * @throws AppError CONTENT_ID_INVALID, INDEX_CORRUPT, REPOSITORY_FORMAT_UNSUPPORTED
   */
  locate(contentIds: readonly string[], signal: AbortSignal): Promise<(ContentLocation | undefined)[]>;
  /**
   * One content, verified. For what is small or single; many are located, read and decoded by their users.
   * @throws AppError CONTENT_MISSING, CONTENT_CORRUPT
   */
  readContent(contentId: string, signal: AbortSignal): Promise<Uint8Array>;
  /** How many contents there are at most. */
  readonly contentsMax: number;
  /**
   * Every content that is not deleted and whose pack is wanted, each once, in groups and in no order. For checks, which look at
   * all there is: memory holds a group, the index is read once for each call.
   */
  allContents(wanted: (packId: string) => boolean, signal: AbortSignal): AsyncIterable<ContentLocation[]>;
  /** Those that have all of the labels, oldest first. @throws AppError SNAPSHOT_CORRUPT and those of `readContent` */
  findManifests(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Manifest[]>;
  /** @throws AppError MANIFEST_NOT_FOUND, SNAPSHOT_CORRUPT and those of `readContent` */
  manifest(id: string, signal: AbortSignal): Promise<Manifest>;
  /** Reads the changed parts of the index again; to be called when a pack is gone, whose contents may have moved. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Frees memory and scratch. */
  close(): Promise<void>;
}
