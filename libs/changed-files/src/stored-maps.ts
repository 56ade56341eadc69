import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { DataRun } from '@lateen/file-extents';
import type { FileState } from './file-state.ts';

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
}

/** Version of the form below; any other is not read. */
const version = 1;

/** The most bytes that are unpacked: this bounds the memory. */
const unpackedBytesMax = 1024 * 1024;

/** 9 takes 3 ms for 10 KB. The window holds the longest text that fits. */
const brotli = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 20 };

/**
 * The maps as a text of at most `lengthMax` characters: version, dot, base64url of brotli. Files whose maps do not fit are left
 * out, those with the most runs first; they are read as a whole by the next upload. Pure.
 */
export function packMaps(maps: StoredMaps, lengthMax: number): { text: string; left: readonly FileState[] } {
  const files = [...maps.files].sort((a, b) => a.runs.length - b.runs.length);
  const left: FileState[] = [];
  for (;;) {
    const text = `${version}.${pack({ ...maps, files })}`;
    if (text.length <= lengthMax || files.length === 0) return { text, left };
    // Far too long texts are not packed again and again.
    const kept = Math.min(files.length - 1, Math.ceil((files.length * lengthMax) / text.length));
    left.push(...files.splice(kept));
  }
}

/** Numbers are differences to where the run before ends: these are small and repeat. */
function pack({ device, files }: StoredMaps): string {
  const stored = files.map(({ path, sizeBytes, mtimeNs, runs }) => {
    const numbers: (number | null)[] = [];
    let end = 0;
    let homeEnd = 0;
    for (const { startBytes, endBytes, home } of runs) {
      numbers.push(startBytes - end, endBytes - startBytes, home === undefined ? null : home - homeEnd);
      end = endBytes;
      if (home !== undefined) homeEnd = home + endBytes - startBytes;
    }
    return [path, sizeBytes, String(mtimeNs), numbers];
  });
  return brotliCompressSync(JSON.stringify([device.sizeBytes, device.fileSystemID, stored]), {
    params: brotli,
  }).toString('base64url');
}

/** What {@link packMaps} has packed; undefined for anything else, which is as good as no map. Pure. */
export function unpackMaps(text: string): StoredMaps | undefined {
  const [, packed] = new RegExp(`^${version}\\.([\\w-]+)$`).exec(text) ?? [];
  if (packed === undefined) return undefined;
  let value: unknown;
  try {
    const bytes = brotliDecompressSync(Buffer.from(packed, 'base64url'), { maxOutputLength: unpackedBytesMax });
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  const [sizeBytes, fileSystemID, stored] = Array.isArray(value) ? (value as unknown[]) : [];
  if (!isSize(sizeBytes) || typeof fileSystemID !== 'string' || !Array.isArray(stored)) return undefined;
  const files = stored.map(fileOf);
  if (files.includes(undefined)) return undefined;
  return { device: { sizeBytes, fileSystemID }, files: files.filter((file) => file !== undefined) };
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function fileOf(stored: unknown): FileState | undefined {
  const [path, sizeBytes, mtimeNs, numbers] = Array.isArray(stored) ? (stored as unknown[]) : [];
  if (typeof path !== 'string' || !isSize(sizeBytes) || !Array.isArray(numbers)) return undefined;
  if (typeof mtimeNs !== 'string' || !/^-?\d{1,20}$/.test(mtimeNs)) return undefined;
  const runs = runsOf(numbers);
  return runs && { path, sizeBytes, mtimeNs: BigInt(mtimeNs), runs };
}

function runsOf(numbers: readonly unknown[]): DataRun[] | undefined {
  if (numbers.length % 3 !== 0) return undefined;
  const runs: DataRun[] = [];
  let end = 0;
  let homeEnd = 0;
  for (let at = 0; at < numbers.length; at += 3) {
    const [gap, length, move] = numbers.slice(at, at + 3);
    if (!isSize(gap) || !isSize(length) || length === 0) return undefined;
    const startBytes = end + gap;
    end = startBytes + length;
    const home = move === null ? undefined : homeEnd + Number(move);
    if (!isSize(end) || (home !== undefined && !isSize(home))) return undefined;
    runs.push({ startBytes, endBytes: end, home });
    if (home !== undefined) homeEnd = home + length;
  }
  return runs;
}
