import { AppError } from '@lateen/errors';

/** A file in a directory of a kopia repository. */
export interface FileEntry {
  /**
   * In the snapshot of a block volume this is the path of the device, slashes included; no file system allows those in a name.
   */
  name: string;
  objectId: string;
  sizeBytes: number;
}

/** Object IDs of kopia. kopia would take anything else for a path. */
const objectId = /^[IDZkmx]*[0-9a-f]{32,}$/;

export const isObjectId = (text: unknown): text is string => typeof text === 'string' && objectId.test(text);

/**
 * The only entry of a directory of kopia, if it is a file: the form of a block volume's snapshot. `text` is the object of the
 * directory (`kopia:directory`). Undefined for any other directory.
 */
export function parseOnlyFile(text: string): FileEntry | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { stream, entries } = (parsed ?? {}) as { stream?: unknown; entries?: unknown };
  if (stream !== 'kopia:directory' || !Array.isArray(entries) || entries.length !== 1) return undefined;
  const { name, type, size = 0, obj } = entries[0] as { name?: unknown; type?: unknown; size?: unknown; obj?: unknown };
  if (type !== 'f' || !isObjectId(obj) || typeof size !== 'number') return undefined;
  return { name: typeof name === 'string' ? name : '', objectId: obj, sizeBytes: size };
}

/** @throws SNAPSHOT_INVALID when the root is not that of a block volume's snapshot */
export function mustBeOfDevice(snapshotID: string, onlyFile: FileEntry | undefined): FileEntry {
  if (onlyFile !== undefined) return onlyFile;
  throw new AppError('SNAPSHOT_INVALID', `snapshot ${snapshotID} is not that of a block volume`, {
    nextStep: 'Restore it into a claim with volumeMode Filesystem.',
  });
}
