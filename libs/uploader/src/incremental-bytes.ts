import type { UploadProgress } from './upload-progress.ts';

/**
 * How many bytes had to be read again: the total, less what came from the parent snapshot (data-movement.md section 9). kopia
 * prints both shares rounded to one decimal of a unit, so the finer of the two is used; when all or none of the files came from
 * the parent, the result is exact.
 */
export function incrementalBytes(totalBytes: number, last: UploadProgress | undefined): number {
  if (last === undefined || last.cachedFiles === 0) return totalBytes;
  if (last.hashedFiles === 0) return 0;
  const fresh = last.hashed.errorBytes <= last.cached.errorBytes ? last.hashed.bytes : totalBytes - last.cached.bytes;
  return Math.min(Math.max(fresh, 0), totalBytes);
}
