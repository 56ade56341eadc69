import { isObject } from '../json-value.ts';
import type { ListedBlob } from './listed-blob.ts';

/** What one compaction log `m…` says: these blobs were written in place of those. */
export interface Compaction {
  inputs: readonly string[];
  outputs: readonly string[];
}

/** Of a repository without epochs: blobs `n…` without those that a compaction has replaced whose results are all there. */
export function activeLegacyBlobs(listed: readonly ListedBlob[], compactions: readonly Compaction[]): ListedBlob[] {
  const there = new Set(listed.map(({ blobId }) => blobId));
  const valid = compactions.filter(({ outputs }) => outputs.every((blobId) => there.has(blobId)));
  const replaced = new Set(valid.flatMap(({ inputs }) => inputs));
  return listed.filter(({ blobId }) => !replaced.has(blobId));
}

/** Undefined for what is no compaction log. */
export function compactionOf(value: unknown): Compaction | undefined {
  if (!isObject(value)) return undefined;
  const inputs = idsOf(value.inputMetadata);
  const outputs = idsOf(value.outputMetadata);
  return inputs === undefined || outputs === undefined ? undefined : { inputs, outputs };
}

function idsOf(metadata: unknown): string[] | undefined {
  // Go writes null for an empty list.
  if (metadata === null || metadata === undefined) return [];
  if (!Array.isArray(metadata)) return undefined;
  const ids = metadata.map((blob: unknown) => (isObject(blob) ? blob.id : undefined));
  return ids.every((id) => typeof id === 'string') ? ids : undefined;
}
