import { blockBytes, paddingOf } from './block.ts';
import { paxRecords } from './pax-records.ts';

/** Where the fields of a header are (POSIX.1-2024, pax, "ustar Header Block"). */
export const fields = {
  name: { at: 0, bytes: 100 },
  mode: { at: 100, bytes: 8 },
  uid: { at: 108, bytes: 8 },
  gid: { at: 116, bytes: 8 },
  size: { at: 124, bytes: 12 },
  mtime: { at: 136, bytes: 12 },
  checksum: { at: 148, bytes: 8 },
  type: { at: 156, bytes: 1 },
  magic: { at: 257, bytes: 6 },
  version: { at: 263, bytes: 2 },
  deviceMajor: { at: 329, bytes: 8 },
  deviceMinor: { at: 337, bytes: 8 },
  prefix: { at: 345, bytes: 155 },
} as const;

/** What eleven octal digits hold. */
const octalMax = 8 ** 11 - 1;

const asciiZero = 0x30;
const space = 0x20;
const tilde = 0x7e;

/**
 * Makes headers of regular files, mode 0755, owned by nobody in particular: ustar, with a pax header before it where the path
 * or the size does not fit. What a call returns is good until the next one, which writes into the same bytes.
 */
export function entryHeaders(mtimeMs: number): (path: string, sizeBytes: number) => Uint8Array {
  const template = templateOf(Math.min(Math.max(Math.floor(mtimeMs / 1_000), 0), octalMax));
  const templateSum = sumOf(template);
  const block = Buffer.alloc(blockBytes);

  /** The block itself. `path` has plain characters only. */
  const fill = (name: string, prefix: string, sizeBytes: number): Buffer => {
    block.set(template);
    let sum = templateSum + writePlain(block, fields.prefix.at, prefix) + writePlain(block, fields.name.at, name);
    sum += writeOctal(block, fields.size.at, sizeBytes, 11);
    // It was counted as spaces. Six digits, a NUL and a space: as everybody writes it.
    writeOctal(block, fields.checksum.at, sum, 6);
    block[fields.checksum.at + 6] = 0;
    return block;
  };
  return (path, sizeBytes) => {
    const split = sizeBytes > octalMax || !isPlain(path) ? undefined : splitPath(path);
    if (split !== undefined) return fill(split.name, split.prefix, sizeBytes);
    const records = paxRecords({ path, ...(sizeBytes > octalMax ? { size: String(sizeBytes) } : {}) });
    const shortened = path.replace(/[^ -~]/g, '_').slice(-fields.name.bytes);
    const extended = Buffer.from(fill('PaxHeaders.0/path', '', records.length));
    setType(extended, 'x');
    const own = fill(shortened, '', sizeBytes > octalMax ? 0 : sizeBytes);
    return Buffer.concat([extended, records, Buffer.alloc(paddingOf(records.length)), own]);
  };
}

function templateOf(mtimeSeconds: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  writeOctal(block, fields.mode.at, 0o755, 7);
  writeOctal(block, fields.uid.at, 0, 7);
  writeOctal(block, fields.gid.at, 0, 7);
  writeOctal(block, fields.mtime.at, mtimeSeconds, 11);
  block.fill(space, fields.checksum.at, fields.checksum.at + fields.checksum.bytes);
  block.write('0', fields.type.at);
  block.write('ustar\0', fields.magic.at);
  block.write('00', fields.version.at);
  writeOctal(block, fields.deviceMajor.at, 0, 7);
  writeOctal(block, fields.deviceMinor.at, 0, 7);
  return block;
}

/** @returns undefined when the path fits into no header */
function splitPath(path: string): { name: string; prefix: string } | undefined {
  if (path.length <= fields.name.bytes) return { name: path, prefix: '' };
  const slash = path.indexOf('/', path.length - fields.name.bytes - 1);
  if (slash < 1 || slash > fields.prefix.bytes || slash === path.length - 1) return undefined;
  return { prefix: path.slice(0, slash), name: path.slice(slash + 1) };
}

/** Whether a header can hold it as it is: other characters mean something else on another machine. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < space || code > tilde) return false;
  }
  return true;
}

/** @returns the sum of what was written */
function writePlain(block: Buffer, at: number, text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    block[at + index] = code;
    sum += code;
  }
  return sum;
}

/** @returns the sum of what was written */
function writeOctal(block: Buffer, at: number, value: number, digits: number): number {
  let sum = 0;
  let rest = value;
  for (let index = digits - 1; index >= 0; index--) {
    const next = Math.floor(rest / 8);
    const digit = asciiZero + (rest - next * 8);
    block[at + index] = digit;
    sum += digit;
    rest = next;
  }
  return sum;
}

function setType(block: Buffer, type: string): void {
  block.write(type, fields.type.at);
  block.fill(space, fields.checksum.at, fields.checksum.at + fields.checksum.bytes);
  writeOctal(block, fields.checksum.at, sumOf(block), 6);
  block[fields.checksum.at + 6] = 0;
}

export function sumOf(block: Uint8Array): number {
  let sum = 0;
  // By index: for-of takes three times as long.
  for (let at = 0; at < block.length; at++) sum += block[at] ?? 0;
  return sum;
}
