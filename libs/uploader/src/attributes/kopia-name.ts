import { isUtf8 } from 'node:buffer';
import type { ByteText } from './attribute-record.ts';

/** U+FFFD as bytes. */
const replacement = '\xef\xbf\xbd';

/**
 * A name or path as kopia stores it: kopia's folders are JSON, and Go writes each byte that belongs to no UTF-8 character as
 * U+FFFD (encoding/json; seen with 0.22.3).
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

/** True when kopia keeps the name unchanged. */
export const isText = (name: ByteText): boolean => isUtf8(Buffer.from(name, 'latin1'));

/** True when kopia may have changed another name into this one. */
export const holdsReplacement = (name: ByteText): boolean => name.includes(replacement);

/** Escapes bytes, so that a message is valid text. */
export const shownName = (path: ByteText): string =>
  `"${path.replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;

/** Length in bytes of the character that starts at `at`; 0 when none starts there. RFC 3629, section 4. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  // isUtf8 checks which byte may follow which.
  return at + length <= bytes.length && length > 0 && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
