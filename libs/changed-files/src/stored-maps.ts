import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { FileState } from './file-state.ts';
import { mapsFromBytes, mapsToBytes } from './maps-form.ts';

/** By what a device is recognised. */
export interface MappedDevice {
  sizeBytes: number;
  /**
   * What was made for this file system alone, as its UUID: it distinguishes a copy of the device from a new file system to which a person has
   * copied the files. There, places say nothing about the volume.
   */
  fileSystemID: string;
}

/** The maps of the large files of a snapshot, as they are stored with it. */
export interface StoredMaps {
  /** The device that all places are on. */
  device: MappedDevice;
  files: readonly FileState[];
  /** Files whose maps had no room. */
  leftOut: number;
}

/** Version of the form in `maps-form.ts`; any other is not read. */
const version = 2;

/** The most bytes that are unpacked: this bounds the memory. */
const unpackedBytesMax = 1024 * 1024;

/** 9 takes 3 ms for 10 KB. The window holds the longest text that fits. */
const brotli = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 20 };

/**
 * The maps as a text of at most `lengthMax` characters: version, dot, base64url of brotli. Files whose maps do not fit are left
 * out, those with the most runs first; they are read as a whole by the next upload. Pure.
 */
export function packMaps(
  maps: Omit<StoredMaps, 'leftOut'>,
  lengthMax: number,
): { text: string; left: readonly FileState[] } {
  const files = [...maps.files].sort((a, b) => a.runs.length - b.runs.length);
  const left: FileState[] = [];
  for (;;) {
    const text = `${version}.${pack({ ...maps, files, leftOut: left.length })}`;
    if (text.length <= lengthMax || files.length === 0) return { text, left };
    // Far too long texts are not packed again and again.
    const kept = Math.min(files.length - 1, Math.ceil((files.length * lengthMax) / text.length));
    left.push(...files.splice(kept));
  }
}

const pack = (maps: StoredMaps): string =>
  brotliCompressSync(mapsToBytes(maps), { params: brotli }).toString('base64url');

/** What {@link packMaps} has packed; undefined for anything else, which is as good as no map. Pure. */
export function unpackMaps(text: string): StoredMaps | undefined {
  const [, packed] = new RegExp(`^${version}\\.([\\w-]+)$`).exec(text) ?? [];
  if (packed === undefined) return undefined;
  try {
    return mapsFromBytes(brotliDecompressSync(Buffer.from(packed, 'base64url'), { maxOutputLength: unpackedBytesMax }));
  } catch {
    return undefined;
  }
}
