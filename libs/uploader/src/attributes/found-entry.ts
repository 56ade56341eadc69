import { AppError } from '@lateen/errors';
import type { ByteText } from './attribute-record.ts';

/**
 * What find prints of an entry, before a closing zero: inode, type, links, mode, owner, time, path below the starting
 * point, link target. No path that find prints holds "//", so the first one ends it.
 */
export const foundFormat = '%D:%i %y %n %m %U %G %T@ %P//%l\\0';

/** Longest item: two paths, one of them with three bytes for each, and a few numbers. */
export const foundLengthMax = 20 * 1024;

export interface FoundEntry {
  /** `device:inode`: equal for the names of one file. */
  inode: string;
  /** find's letter: d, f, l, p, c, b, s. */
  type: string;
  links: number;
  path: ByteText;
  mode: number;
  uid: number;
  gid: number;
  mtime: string;
  target: ByteText;
}

const pattern = /^(\d+:\d+) (.) (\d+) ([0-7]+) (\d+) (\d+) (-?\d+)\.(\d{9})\d? (.*?)\/\/(.*)$/s;

/** Reads one item that find printed by {@link foundFormat}. @throws SCAN_BAD_ANSWER */
export function parseFoundEntry(item: string): FoundEntry {
  const match = pattern.exec(item);
  if (match === null) {
    throw new AppError(
      'SCAN_BAD_ANSWER',
      `find printed a line that is not an entry: ${JSON.stringify(item.slice(0, 120))}`,
    );
  }
  const [, inode = '', type = '', links, mode = '', uid, gid, seconds = '', nanoseconds = '', path = '', target = ''] =
    match;
  return {
    inode,
    type,
    links: Number(links),
    path,
    mode: Number.parseInt(mode, 8),
    uid: Number(uid),
    gid: Number(gid),
    mtime: decimalTime(seconds, nanoseconds),
    target,
  };
}

/**
 * find prints the seconds and the nanoseconds of the inode as two fields, so that 1.5 s before the epoch is printed as `-2.5`:
 * two seconds back, half a second forward. As a decimal number it is `-1.5`.
 */
export function decimalTime(seconds: string, nanoseconds: string): string {
  if (!seconds.startsWith('-')) return `${seconds}.${nanoseconds}`;
  const total = -(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds));
  return `-${total / 1_000_000_000n}.${String(total % 1_000_000_000n).padStart(9, '0')}`;
}
