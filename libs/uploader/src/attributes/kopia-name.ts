import { isUtf8 } from 'node:buffer';
import type { ByteText } from './attribute-record.ts';

/** U+FFFD as bytes. */
const replacement = '\xef\xbf\xbd';

/**
 * A name or path as kopia keeps it: its folders are JSON, into which Go writes each byte that belongs to no character as U+FFFD
 * (encoding/json; seen with 0.22.3).
 */
export function kopiaName(name: ByteText): ByteText {
  if (isText(name)) return name;
  const bytes = Buffer.from(name, 'latin1');
  let kept = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    kept += length === 0 ? replacement : name.slice(at, at + length);
    at += Math.max(length, 1);
  }
  return kept;
}

/** True when kopia keeps the name as it is. */
export const isText = (name: ByteText): boolean => isUtf8(Buffer.from(name, 'latin1'));

/** True when other names may have become this one. */
export const holdsReplacement = (name: ByteText): boolean => name.includes(replacement);

/** Bytes as escapes, so that a message is text. */
export const shownName = (path: ByteText): string =>
  `"${path.replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;

/** Bytes of the character that begins at `at`; 0 when none does. RFC 3629, section 4. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  // isUtf8 knows what may follow which byte.
  return at + length <= bytes.length && length > 0 && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
