import { fields, sumOf } from './entry-header.ts';

export interface TarHeader {
  /** As it is written, name and prefix joined. */
  path: string;
  sizeBytes: number;
  /** One character: `0` for a regular file. */
  type: string;
}

/** A block of zeros: two of them end an archive. */
export const isEndBlock = (block: Buffer): boolean => block[0] === 0 && block.every((byte) => byte === 0);

/** @returns undefined when the block is no header */
export function parseHeader(block: Buffer): TarHeader | undefined {
  const sizeBytes = numberIn(block, fields.size);
  if (sizeBytes === undefined || !isSumRight(block)) return undefined;
  const name = textIn(block, fields.name);
  // GNU tar writes `ustar ` and keeps times where the prefix would be.
  const prefix = textIn(block, fields.magic) === 'ustar' ? textIn(block, fields.prefix) : '';
  const type = String.fromCharCode(block[fields.type.at] || 0x30);
  return { path: prefix === '' ? name : `${prefix}/${name}`, sizeBytes, type };
}

function isSumRight(block: Buffer): boolean {
  const said = numberIn(block, fields.checksum);
  const { at, bytes } = fields.checksum;
  let sum = sumOf(block) + bytes * 0x20;
  for (let index = at; index < at + bytes; index++) sum -= block[index] ?? 0;
  if (said === sum) return true;
  // Old tars added up signed bytes.
  let high = 0;
  for (const [index, byte] of block.entries()) if (byte > 0x7f && (index < at || index >= at + bytes)) high++;
  return said === sum - high * 256;
}

interface Field {
  at: number;
  bytes: number;
}

function textIn(block: Buffer, { at, bytes }: Field): string {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end < 0 || end > at + bytes ? at + bytes : end);
}

/** Octal digits, or as GNU tar writes large numbers: a set first bit and the number in base 256. */
function numberIn(block: Buffer, { at, bytes }: Field): number | undefined {
  if (((block[at] ?? 0) & 0x80) !== 0) {
    let value = (block[at] ?? 0) & 0x7f;
    for (let index = at + 1; index < at + bytes; index++) value = value * 256 + (block[index] ?? 0);
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const text = block.toString('latin1', at, at + bytes).replace(/^ +|[ \0].*$/gs, '');
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : undefined;
}
