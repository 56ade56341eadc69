import { volumeError } from '../volume-error.ts';
import type { DataRun } from './area.ts';

/** xfs_io counts in these, whatever the file system's blocks. */
const sectorBytes = 512;

/** `   3: [640..679]:      192..231            40 0x2000` or `   0: [0..639]:        hole               640` */
const linePattern = /^\s*\d+: \[(\d+)\.\.(\d+)\]:\s+(?:hole|(\d+)\.\.\d+)\s+\d+(?:\s+0x([0-9a-fA-F]+))?\s*$/;

/** Bits of `fe_flags` (linux/fiemap.h). */
const flags = { last: 0x1, unwritten: 0x800, merged: 0x1000, shared: 0x2000 } as const;
/** With any other bit (not yet allocated, packed, inside an inode) an address says nothing about the bytes. */
const understood = flags.last | flags.unwritten | flags.merged | flags.shared;

export interface FileMap {
  /** Ascending. Holes and areas that were set aside but never written are left out: they read as zeros. */
  data: DataRun[];
  /** How many lines there were, and where the last of them ends: the map goes no further when the number was limited. */
  lines: number;
  endBytes: number;
}

/** What `xfs_io -c "fiemap -v"` printed. Pure. @throws AppError `COMMAND_FAILED` for a line that it cannot read: a guess would lose data. */
export function parseFileMap(text: string): FileMap {
  const map: FileMap = { data: [], lines: 0, endBytes: 0 };
  // The name of the file, and the head of the table.
  for (const line of text.split('\n').slice(2)) {
    if (line.trim() === '') continue;
    const [, first, last, block, flagText = '0'] = linePattern.exec(line) ?? [];
    if (first === undefined || last === undefined) {
      throw volumeError('COMMAND_FAILED', `xfs_io printed a line that is no part of a map: ${line.slice(0, 100)}`);
    }
    map.lines++;
    map.endBytes = (Number(last) + 1) * sectorBytes;
    const bits = Number.parseInt(flagText, 16);
    if (block === undefined || (bits & flags.unwritten) !== 0) continue;
    const isShared = (bits & flags.shared) !== 0 && (bits & ~understood) === 0;
    map.data.push({
      startBytes: Number(first) * sectorBytes,
      endBytes: map.endBytes,
      home: isShared ? Number(block) * sectorBytes : undefined,
    });
  }
  return map;
}
