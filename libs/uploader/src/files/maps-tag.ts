import { type FileState, type MappedDevice, packMaps, type StoredMaps, unpackMaps } from '@lateen/changed-files';

/** The tag that holds the maps of large files; kopia keeps it under `tag:` and this name. */
const mapsTag = 'lateen-file-maps';

/**
 * Longest value. kopia loads the tags of all snapshots at each start, which costs 0.15 ms of CPU for each 4 KiB (ADR 0009), and its server tells them
 * in answers with up to 1,000 snapshots of 20 MiB at most. Only uploads that ask for changed blocks of files have this tag, so it may be longer than that of the attributes.
 */
const lengthMax = 8 * 1024;

/**
 * The argument that stores the maps with the snapshot, and the files whose maps had no room; how many these are is stored, too, so that the next upload
 * can say why it reads them. None if there is nothing to store.
 */
export function mapsTagArgs(maps: Omit<StoredMaps, 'leftOut'>): { args: string[]; left: readonly FileState[] } {
  if (maps.files.length === 0) return { args: [], left: [] };
  const { text, left } = packMaps(maps, lengthMax);
  return { args: [`--tags=${mapsTag}:${text}`], left };
}

/** The maps in the tags of a snapshot; undefined if it has none that can be read, or those of another device. */
export function mapsIn(tags: Readonly<Record<string, unknown>>, device: MappedDevice): StoredMaps | undefined {
  const text = tags[`tag:${mapsTag}`];
  const maps = typeof text === 'string' ? unpackMaps(text) : undefined;
  const isSame = maps?.device.sizeBytes === device.sizeBytes && maps.device.fileSystemID === device.fileSystemID;
  return isSame ? maps : undefined;
}
