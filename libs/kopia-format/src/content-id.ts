import { AppError } from '@lateen/errors';

/** One letter for metadata, then the hash; kopia's hashes have 16 to 32 bytes. */
const pattern = /^[g-z]?(?:[0-9a-f]{2}){16,32}$/;

export const isContentId = (text: string): boolean => pattern.test(text);

/** @throws AppError CONTENT_ID_INVALID */
export function checkContentId(text: string): void {
  if (!isContentId(text)) throw new AppError('CONTENT_ID_INVALID', `${JSON.stringify(text)} is no id of a content`);
}

/** As index files have it: the letter, or 0, then the hash. */
export function contentKey(contentId: string): Uint8Array {
  const hasLetter = contentId.length % 2 === 1;
  const key = Buffer.alloc((contentId.length >> 1) + 1);
  if (hasLetter) key[0] = contentId.charCodeAt(0);
  key.write(hasLetter ? contentId.slice(1) : contentId, 1, 'hex');
  return key;
}

/** The id that a key stands for. */
export function contentIdOf(key: Uint8Array): string {
  const hash = Buffer.from(key.buffer, key.byteOffset + 1, key.length - 1).toString('hex');
  return key[0] === 0 ? hash : String.fromCharCode(key[0] ?? 0) + hash;
}
