import { AppError } from '@lateen/errors';
import type { ByteRange } from './byte-ranges.ts';

/** Larger maps cost more memory and time than they save; a range takes about 30 bytes. */
export const domainLogBytesMax = 16 * 1024 * 1024;

/**
 * The used ranges in a domain log of partclone (`partclone.<fs> -D`), the mapfile format of GNU ddrescue: after comments and the
 * line of the current position, lines of `position size status` without gap or overlap, `+` for used. Any deviation, such as a
 * truncated log, rejects the whole log.
 * @throws ALLOCATION_MAP_INVALID
 */
export function parseDomainLog(text: string): { used: ByteRange[]; endBytes: number } {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (!text.endsWith('\n')) throw invalid('its last line is cut');
  const used: ByteRange[] = [];
  let at = 0;
  for (const line of lines.slice(1)) {
    const [, position, size, status] = /^(0x[0-9A-F]+)\s+(0x[0-9A-F]+)\s+([+?])$/i.exec(line) ?? [];
    const length = Number(size);
    if (Number(position) !== at || !(length > 0)) throw invalid(`it says "${line.slice(0, 80)}" at ${at}`);
    if (status === '+') used.push({ start: at, end: at + length });
    at += length;
  }
  return { used, endBytes: at };
}

const invalid = (why: string): AppError =>
  new AppError('ALLOCATION_MAP_INVALID', `the allocation map cannot be used: ${why}`);
