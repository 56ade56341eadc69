import { AppError } from '@lateen/errors';

/** xfs_io counts in these, whatever the blocks of the file system are. */
const sectorBytes = 512;

/** `   3: [640..679]:      192..231            40 0x2000` or `   0: [0..639]:        hole               640` */
const linePattern = /^\s*\d+: \[(\d+)\.\.(\d+)\]:\s+(?:hole|(\d+)\.\.\d+)\s+\d+(?:\s+0x([0-9a-fA-F]+))?\s*$/;

/** Bits of `fe_flags` (linux/fiemap.h). */
const flags = { last: 0x1, unwritten: 0x800, merged: 0x1000, shared: 0x2000 } as const;

/** With any other bit (not yet allocated, packed, encrypted, inside an inode), the address says nothing about the bytes. */
const understood = flags.last | flags.unwritten | flags.merged | flags.shared;

/** A run of a file for which the file system has set blocks aside. What lies between extents is a hole. */
export interface FileExtent {
  startBytes: number;
  endBytes: number;
  /** Where the run begins on the device; undefined when a flag says that this is not the place of the bytes. */
  physicalBytes: number | undefined;
  /** Allocated but never written: it reads as zeros. */
  isUnwritten: boolean;
  /** Other files have the same blocks. */
  isShared: boolean;
}

export interface FileMap {
  /** In ascending order. */
  extents: FileExtent[];
  /** How many lines there were, and where the last one ends: the map goes no further if the number of lines was limited. */
  lines: number;
  endBytes: number;
}

/** What `xfs_io -c "fiemap -v"` printed. Pure. @throws AppError `FILE_MAP_INVALID` for a line that it cannot read: a guess would lose data. */
export function parseFiemap(text: string): FileMap {
  const map: FileMap = { extents: [], lines: 0, endBytes: 0 };
  // The name of the file, and the head of the table.
  for (const line of text.split('\n').slice(2)) {
    if (line.trim() === '') continue;
    const [, first, last, block, flagText = '0'] = linePattern.exec(line) ?? [];
    if (first === undefined || last === undefined)
      throw new AppError('FILE_MAP_INVALID', `xfs_io printed a line that is not part of a map: ${line.slice(0, 100)}`);
    map.lines++;
    map.endBytes = (Number(last) + 1) * sectorBytes;
    if (block === undefined) continue;
    const bits = Number.parseInt(flagText, 16);
    map.extents.push({
      startBytes: Number(first) * sectorBytes,
      endBytes: map.endBytes,
      physicalBytes: (bits & ~understood) === 0 ? Number(block) * sectorBytes : undefined,
      isUnwritten: (bits & flags.unwritten) !== 0,
      isShared: (bits & flags.shared) !== 0,
    });
  }
  return map;
}
