import { gunzipSync } from 'node:zlib';
import { isObject } from '../json-value.ts';
import { nanoseconds } from '../objects/folder-entry.ts';
import { snapshotCorrupt } from '../snapshot-corrupt.ts';
import type { Manifest } from './manifest.ts';

/** One version of a manifest. The latest of all counts, and one that is deleted is no longer there. */
export interface ManifestVersion extends Manifest {
  isDeleted: boolean;
  modifiedNs: bigint;
}

/** No list of snapshots is longer. */
const bytesMax = 256 * 1024 * 1024;

/** What one content of kind `m` holds. @throws AppError SNAPSHOT_CORRUPT */
export function manifestsIn(contentId: string, content: Uint8Array): ManifestVersion[] {
  const value = parsed(contentId, content);
  const entries = isObject(value) ? value.entries : undefined;
  if (entries === undefined || entries === null) return [];
  if (!Array.isArray(entries)) throw corrupt(contentId);
  return entries.map((entry: unknown) => {
    if (!isObject(entry) || typeof entry.id !== 'string' || typeof entry.modified !== 'string')
      throw corrupt(contentId);
    const labels = isObject(entry.labels) ? (entry.labels as Readonly<Record<string, string>>) : {};
    return {
      id: entry.id,
      labels,
      modified: entry.modified,
      modifiedNs: nanoseconds(entry.modified, entry.id),
      isDeleted: entry.deleted === true,
      data: entry.data,
    };
  });
}

/** Of each manifest the version that counts, oldest first. */
export function latestManifests(versions: Iterable<ManifestVersion>): Manifest[] {
  const latest = new Map<string, ManifestVersion>();
  for (const version of versions) {
    const known = latest.get(version.id);
    if (known === undefined || version.modifiedNs > known.modifiedNs) latest.set(version.id, version);
  }
  return [...latest.values()]
    .filter(({ isDeleted }) => !isDeleted)
    .sort((a, b) => (a.modifiedNs < b.modifiedNs ? -1 : a.modifiedNs > b.modifiedNs ? 1 : 0))
    .map(({ id, labels, modified, data }) => ({ id, labels, modified, data }));
}

function parsed(contentId: string, content: Uint8Array): unknown {
  try {
    return JSON.parse(gunzipSync(content, { maxOutputLength: bytesMax }).toString('utf8'));
  } catch (error) {
    throw corrupt(contentId, error);
  }
}

const corrupt = (contentId: string, cause?: unknown) =>
  snapshotCorrupt(`content ${contentId} is not a list of manifests`, cause);
