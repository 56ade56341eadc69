import { AppError } from '@lateen/errors';

/** Version of the manifest's format (docs/adr/0009-attribute-manifest.md); a later one is refused. */
export const manifestVersion = 1;

/** Version of the lines that state a version of their own. A reader that does not know it refuses the manifest as a later one. */
export const nameVersion = 2;

/** Longest line we write or read: a path, a name of 255 bytes and a value of 64 KiB in base64, both with room to escape. */
export const manifestLineLengthMax = 256 * 1024;

/** Linux: PATH_MAX is 4096 bytes, including the closing zero. */
export const pathLengthMax = 4096;

/**
 * Paths, link targets and attribute names are bytes that need not be UTF-8. In memory and in the manifest each is a string
 * with one character per byte (latin1). Paths are relative to the volume; "" is its root.
 */
export type ByteText = string;

/** Facts from the inode of a directory or special file. */
export interface InodeFacts {
  path: ByteText;
  /** Permission bits with setuid, setgid and sticky. */
  mode: number;
  uid: number;
  gid: number;
  /** Modification time, decimal seconds since the epoch with nine places: `-1.500000000`. */
  mtime: string;
}

/**
 * Set when an inode has several names: entries with equal numbers are adjacent, and the others are linked to the first one that
 * exists.
 */
interface Linked {
  group?: number | undefined;
}

export type SpecialRecord = InodeFacts &
  Linked &
  (
    | { type: 'symlink'; target: ByteText }
    | { type: 'fifo' }
    | { type: 'character-device' | 'block-device'; major: number; minor: number }
  );

/** One of several names of a regular file. */
export interface FileNameRecord {
  type: 'file';
  path: ByteText;
  group: number;
}

/** One extended attribute; ACLs and capabilities are attributes too. */
export interface XattrRecord {
  type: 'xattr';
  path: ByteText;
  name: ByteText;
  /** base64; empty for an empty value. */
  value: string;
}

/** The original name of an entry that kopia has renamed (`kopiaName`). The entries of a folder come before the folder. */
export interface NameRecord {
  type: 'name';
  path: ByteText;
}

export type DirectoryRecord = InodeFacts & { type: 'directory' };

export type AttributeRecord = SpecialRecord | FileNameRecord | XattrRecord | NameRecord | DirectoryRecord;

/** The last line: a manifest without it is truncated. */
export interface ManifestEnd {
  records: number;
  /** Number of sockets seen. They are not kept: the process that listens creates its own. */
  sockets: number;
}

export type ManifestLine =
  | { kind: 'header' }
  | { kind: 'record'; record: AttributeRecord }
  | { kind: 'end'; end: ManifestEnd };

export const headerLine = `${JSON.stringify({ 'lateen-attributes': manifestVersion })}\n`;

export const recordLine = (record: AttributeRecord): string =>
  `${JSON.stringify(record.type === 'name' ? { 'lateen-attributes': nameVersion, ...record } : record)}\n`;

export const endLine = (end: ManifestEnd): string => `${JSON.stringify({ end })}\n`;

/** Reads one line. @throws ATTRIBUTES_INVALID, ATTRIBUTES_VERSION for a header of a later version */
export function parseManifestLine(line: string): ManifestLine {
  const parsed = tryParse(line);
  const version = parsed['lateen-attributes'];
  if (version === manifestVersion) return { kind: 'header' };
  if (typeof version === 'number' && version !== nameVersion) throw unknownVersion(version, nameVersion);
  if (typeof parsed.end === 'object' && parsed.end !== null) {
    const { records, sockets } = parsed.end as Record<string, unknown>;
    if (isCount(records) && isCount(sockets)) return { kind: 'end', end: { records, sockets } };
  }
  if (isRecord(parsed) && (parsed.type === 'name') === (version === nameVersion))
    return { kind: 'record', record: parsed };
  throw invalidManifest(`a line is not a record: ${line.slice(0, 120)}`);
}

/** The error for a manifest that is damaged or hostile; nothing of it may be trusted. */
export function invalidManifest(why: string): AppError {
  return new AppError('ATTRIBUTES_INVALID', `the attribute manifest of the snapshot is damaged: ${why}`, {
    nextStep:
      'To restore the data without hard links, extended attributes and special files, set AttributeManifest to "false" in spec.dataMoverConfig.',
  });
}

/** The error for a manifest of a later Lateen. */
export function unknownVersion(version: number, known: number): AppError {
  return new AppError(
    'ATTRIBUTES_VERSION',
    `the attribute manifest of the snapshot has version ${version}; this version of Lateen reads ${known}`,
    {
      nextStep:
        'Restore with the version of Lateen that took the backup or a later one, or without the attributes: AttributeManifest "false" in spec.dataMoverConfig.',
    },
  );
}

function tryParse(line: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // Reported below, with an excerpt of the line.
  }
  throw invalidManifest(`a line is not a JSON object: ${line.slice(0, 120)}`);
}

function isRecord(raw: Record<string, unknown>): raw is Record<string, unknown> & AttributeRecord {
  if (!isByteText(raw.path, pathLengthMax)) return false;
  const isGrouped = raw.group === undefined || isCount(raw.group);
  switch (raw.type) {
    case 'name':
      return raw.path !== '';
    case 'file':
      return isCount(raw.group);
    case 'xattr':
      return isByteText(raw.name, 255) && raw.name !== '' && isBase64(raw.value);
    case 'directory':
    case 'fifo':
      return isInode(raw) && isGrouped;
    case 'symlink':
      return isInode(raw) && isGrouped && isByteText(raw.target, pathLengthMax) && raw.target !== '';
    case 'character-device':
    case 'block-device':
      return isInode(raw) && isGrouped && isCount(raw.major, 0xfff) && isCount(raw.minor, 0xfffff);
    default:
      return false;
  }
}

/** Linux: IDs have 32 bits; the last value means "do not change". */
const idMax = 0xfffffffe;

function isInode(raw: Record<string, unknown>): boolean {
  return (
    isCount(raw.mode, 0o7777) &&
    isCount(raw.uid, idMax) &&
    isCount(raw.gid, idMax) &&
    typeof raw.mtime === 'string' &&
    /^-?\d{1,19}\.\d{9}$/.test(raw.mtime)
  );
}

const isCount = (raw: unknown, max = Number.MAX_SAFE_INTEGER): raw is number =>
  typeof raw === 'number' && Number.isSafeInteger(raw) && raw >= 0 && raw <= max;

const isBase64 = (raw: unknown): boolean =>
  typeof raw === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(raw);

/** One character per byte, without a zero, which ends every string of the operating system. */
const isByteText = (raw: unknown, lengthMax: number): raw is string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every byte but zero may be in a file name
  typeof raw === 'string' && raw.length <= lengthMax && /^[\x01-\xff]*$/.test(raw);
