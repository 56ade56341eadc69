import type { ResolvedLocation } from '@lateen/storage-location';

/** The mapping from a repository's blob names to keys in an object store. */
export interface BlobNaming {
  /** The prefix of all keys, with a trailing slash. */
  prefix: string;
  /** The key of a blob with a short name. */
  keyOf(blob: string): string;
  /** Whether an object shows that data was stored, and not only that kopia prepared a repository. */
  counts(key: string): boolean;
}

/**
 * kopia's names. In a bucket, prefix and name are concatenated. In a directory, kopia ends each file name with `.f`, writes each
 * file as `…tmp.<random>` first, and records in `.shards` how it distributes longer names over subdirectories.
 */
export function blobNaming({ provider }: ResolvedLocation, prefix: string): BlobNaming {
  if (provider !== 'fs') return { prefix, keyOf: (blob) => prefix + blob, counts: () => true };
  return {
    prefix,
    keyOf: (blob) => `${prefix}${blob}.f`,
    counts: (key) => !/(^|\/)\.shards$|(^|\/)[^/]+\.tmp\.[0-9a-f]+$/.test(key),
  };
}
