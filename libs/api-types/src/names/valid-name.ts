import { createHash } from 'node:crypto';

/** Longest label value Kubernetes takes. */
export const labelValueLengthMax = 63;

const hashCharacters = 6;

/**
 * A name as label value: unchanged up to 63 characters, otherwise its first 57 and the first 6 hex digits of the
 * SHA-256 of the whole name (api.md section 14). Long names with a common start stay different.
 */
export function getValidName(name: string): string {
  if (name.length <= labelValueLengthMax) return name;
  const hash = createHash('sha256').update(name).digest('hex');
  return name.slice(0, labelValueLengthMax - hashCharacters) + hash.slice(0, hashCharacters);
}

/**
 * A repository's name as label value: unchanged up to 63 characters, otherwise the hex SHA3-224 of it, which is 56
 * characters (api.md section 14).
 */
export function returnNameOrHash(name: string): string {
  if (name.length <= labelValueLengthMax) return name;
  return createHash('sha3-224').update(name).digest('hex');
}
