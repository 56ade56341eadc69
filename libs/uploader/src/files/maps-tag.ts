import { type MappedDevice, packMaps, type StoredMaps, unpackMaps } from '@lateen/changed-files';

/** The tag that holds the maps of large files; kopia keeps it under `tag:` and this name. */
const mapsTag = 'lateen-file-maps';

/** Longest value: kopia loads the tags of all snapshots at each start (see `inlineLengthMax` of the attribute manifest). */
const lengthMax = 2048;

/** The argument that stores the maps with the snapshot, and how many files did not fit; none if there is nothing to store. */
export function mapsTagArgs(maps: StoredMaps): { args: string[]; left: number } {
  if (maps.files.length === 0) return { args: [], left: 0 };
  const { text, left } = packMaps(maps, lengthMax);
  return left.length === maps.files.length
    ? { args: [], left: left.length }
    : { args: [`--tags=${mapsTag}:${text}`], left: left.length };
}

/** The maps in the tags of a snapshot; undefined if it has none that can be read, or those of another device. */
export function mapsIn(tags: Readonly<Record<string, unknown>>, device: MappedDevice): StoredMaps | undefined {
  const text = tags[`tag:${mapsTag}`];
  const maps = typeof text === 'string' ? unpackMaps(text) : undefined;
  const isSame = maps?.device.sizeBytes === device.sizeBytes && maps.device.fileSystemID === device.fileSystemID;
  return isSame ? maps : undefined;
}
