import { isObject } from '../json-value.ts';
import { snapshotCorrupt } from '../snapshot-corrupt.ts';
import type { JsonEntry } from './entry-scan.ts';
import { type ObjectId, parseObjectId } from './object-id.ts';

/** What a folder says of one of its entries. */
export interface FolderEntry {
  /** Of one level: never empty, `.`, `..`, or with a slash or NUL. */
  name: string;
  /** `other` is what kopia could not read: it has no bytes. */
  type: 'file' | 'folder' | 'link' | 'other';
  /** Permissions with set-user-ID, set-group-ID and sticky bit: 0o7777 at most. */
  mode: number;
  /** Of the bytes of a file or a link's target; 0 of a folder. */
  size: number;
  /** Nanoseconds since 1970. Of a folder: its own; the engine gives a restored one `newestNs` of its tree instead. */
  mtimeNs: bigint;
  uid: number;
  gid: number;
  /** Undefined for what has no bytes of its own in the repository. */
  objectId: ObjectId | undefined;
  /** Of a folder, what is below it. */
  tree: FolderTree | undefined;
}

export interface FolderTree {
  files: number;
  bytes: number;
  /** The latest time of modification of all below; undefined when there is nothing. */
  newestNs: bigint | undefined;
}

const types = { f: 'file', d: 'folder', s: 'link' } as const;

/** How names are read. */
export interface NameOptions {
  /**
   * Also the name of a block volume, which is the path of its device (data-movement.md section 9, "Block mode"). Only for those who write
   * nothing under these names. Default false.
   */
  isPathAllowed?: boolean;
}

/** @throws AppError SNAPSHOT_CORRUPT */
export function folderEntry(entry: JsonEntry, { isPathAllowed = false }: NameOptions = {}): FolderEntry {
  const { name, type, mode, size = 0, mtime, uid = 0, gid = 0, obj } = entry;
  checkName(name, isPathAllowed);
  const known = type === 'f' || type === 'd' || type === 's' ? types[type] : 'other';
  const isIn = (value: unknown, max: number): value is number =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
  if (!isIn(size, Number.MAX_SAFE_INTEGER) || !isIn(uid, 0xffff_ffff) || !isIn(gid, 0xffff_ffff))
    throw snapshotCorrupt(`the entry ${shown(name)} has a size or an owner that cannot be`);
  return {
    name,
    type: known,
    mode: unixMode(mode, name),
    size,
    mtimeNs: nanoseconds(mtime, name),
    uid,
    gid,
    objectId: typeof obj === 'string' && obj !== '' ? parseObjectId(obj) : undefined,
    tree: treeOf(entry.summ, name),
  };
}

function treeOf(summary: unknown, name: string): FolderTree | undefined {
  if (!isObject(summary)) return undefined;
  const { files, size, maxTime } = summary;
  const newestNs = nanoseconds(maxTime, name);
  return {
    files: typeof files === 'number' ? files : 0,
    bytes: typeof size === 'number' ? size : 0,
    // Go's zero.
    newestNs: maxTime === '0001-01-01T00:00:00Z' ? undefined : newestNs,
  };
}

/** Of one level, so that nothing is written outside of the folder. */
function checkName(name: unknown, isPathAllowed: boolean): asserts name is string {
  const wrong = isPathAllowed ? /\0/ : /[/\0]/;
  const isSafe = typeof name === 'string' && name !== '' && name !== '.' && name !== '..' && !wrong.test(name);
  if (!isSafe) throw snapshotCorrupt(`a folder has an entry with the name ${shown(name)}, which no file can have`);
}

const shown = (name: unknown) => JSON.stringify(name)?.slice(0, 300) ?? 'undefined';

/** Go's bits of a mode for what Unix has in 0o7000 (io/fs, FileMode). */
const goBits = [
  [2 ** 23, 0o4000],
  [2 ** 22, 0o2000],
  [2 ** 20, 0o1000],
] as const;

/** Octal, with a 0 in front; left out when it is none. */
export function unixMode(mode: unknown, name: string): number {
  if (mode === undefined || mode === null) return 0;
  if (typeof mode !== 'string' || !/^0[0-7]{0,11}$/.test(mode))
    throw snapshotCorrupt(`the entry ${shown(name)} has no mode that can be read`);
  const bits = Number.parseInt(mode, 8);
  return goBits.reduce((unix, [go, bit]) => (Math.floor(bits / go) % 2 === 1 ? unix | bit : unix), bits & 0o777);
}

const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** From RFC 3339 with up to nine digits; a time that is left out is Go's zero. */
export function nanoseconds(time: unknown, name: string): bigint {
  if (time === undefined || time === null) return 0n;
  const [, second, fraction = '', zone] = typeof time === 'string' ? (timePattern.exec(time) ?? []) : [];
  const ms = second === undefined ? Number.NaN : Date.parse(`${second}${zone}`);
  if (Number.isNaN(ms)) throw snapshotCorrupt(`the entry ${shown(name)} has no time that can be read`);
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
