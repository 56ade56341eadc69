import { AppError } from '@lateen/errors';

/** One letter for metadata, then the hash; kopia's hashes have 16 to 32 bytes. */
const hashBytes = { min: 16, max: 32 } as const;
export const keyBytesMax = 1 + hashBytes.max;
const letterMin = 'g'.charCodeAt(0);
const letterMax = 'z'.charCodeAt(0);

const noDigit = 255;
/** Of each character; kopia writes small letters. */
const digits = new Uint8Array(128).fill(noDigit);
for (let digit = 0; digit < 16; digit++) digits[digit.toString(16).charCodeAt(0)] = digit;

export const isContentId = (text: string): boolean => writeContentKey(text, new Uint8Array(keyBytesMax), 0) > 0;

export const contentIdInvalid = (text: string): AppError =>
  new AppError('CONTENT_ID_INVALID', `${JSON.stringify(text)} is not the id of a content`);

/**
 * Writes an id as index files have it: the letter, or 0, then the hash. Called for millions of them.
 * @returns how many bytes that is; 0 for what is no id
 */
export function writeContentKey(contentId: string, into: Uint8Array, at: number): number {
  const { length } = contentId;
  const hash = length >> 1;
  if (hash < hashBytes.min || hash > hashBytes.max) return 0;
  let from = 0;
  into[at] = 0;
  if (length % 2 === 1) {
    const letter = contentId.charCodeAt(from++);
    if (letter < letterMin || letter > letterMax) return 0;
    into[at] = letter;
  }
  for (let byte = 1; byte <= hash; byte++) {
    const high = digits[contentId.charCodeAt(from++)] ?? noDigit;
    const low = digits[contentId.charCodeAt(from++)] ?? noDigit;
    if (high === noDigit || low === noDigit) return 0;
    into[at + byte] = (high << 4) | low;
  }
  return hash + 1;
}

/** @throws AppError CONTENT_ID_INVALID */
export function contentKey(contentId: string): Uint8Array {
  const key = new Uint8Array(keyBytesMax);
  const length = writeContentKey(contentId, key, 0);
  if (length === 0) throw contentIdInvalid(contentId);
  return key.subarray(0, length);
}

/** The id that a key represents. */
export function contentIdOf(key: Uint8Array): string {
  const hash = Buffer.from(key.buffer, key.byteOffset + 1, key.length - 1).toString('hex');
  return key[0] === 0 ? hash : String.fromCharCode(key[0] ?? 0) + hash;
}
