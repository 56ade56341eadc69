import type { ResolvedLocation } from '@lateen/storage-location';

/** How the names of a repository's blobs stand in an object store. */
export interface BlobNaming {
  /** Of all of them, with a trailing slash. */
  prefix: string;
  /** The key of one of the blobs whose name is short. */
  keyOf(blob: string): string;
  /** Whether an object is there because somebody stored something, and not because kopia got ready to. */
  counts(key: string): boolean;
}

/**
 * kopia's names. In a bucket, prefix and name are glued together. In a directory, kopia ends each file with `.f`, writes it
 * as `…tmp.<random>` first, and notes in `.shards` how it spreads longer names over subdirectories.
 */
export function blobNaming({ provider }: ResolvedLocation, prefix: string): BlobNaming {
  if (provider !== 'fs') return { prefix, keyOf: (blob) => prefix + blob, counts: () => true };
  return {
    prefix,
    keyOf: (blob) => `${prefix}${blob}.f`,
    counts: (key) => !/(^|\/)\.shards$|(^|\/)[^/]+\.tmp\.[0-9a-f]+$/.test(key),
  };
}
