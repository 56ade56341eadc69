import { AppError } from '@lateen/errors';

/** What a file name may have on every file system that matters (NAME_MAX of limits.h). */
const nameBytesMax = 255;

/** Names of files that are not objects yet. No key may have such a part. */
export const temporaryPrefix = '.lateen-tmp-';

export interface KeyPath {
  /** From the root down. */
  directories: readonly string[];
  name: string;
}

/** Where a key is. @throws OBJECT_KEY_INVALID when it has no place, or would have one outside the root */
export function keyPathOf(key: string): KeyPath {
  const parts = key.split('/');
  for (const part of parts) {
    const wrong = wrongWith(part);
    if (wrong !== undefined) {
      throw new AppError('OBJECT_KEY_INVALID', `object key ${JSON.stringify(key)} cannot be a file: ${wrong}`);
    }
  }
  return { directories: parts.slice(0, -1), name: parts.at(-1) ?? '' };
}

/** The directories of a prefix that ends in "/" (or is ""), and what names below them begin with. */
export function prefixPathOf(prefix: string): { directories: readonly string[]; begin: string } | undefined {
  const parts = prefix.split('/');
  const begin = parts.pop() ?? '';
  // Such a prefix is legal, only no key can have it.
  if (parts.some((part) => wrongWith(part) !== undefined)) return undefined;
  return { directories: parts, begin };
}

function wrongWith(part: string): string | undefined {
  if (part === '') return 'a part of it is empty';
  if (part === '.' || part === '..') return `it has the part "${part}"`;
  if (part.includes('\0')) return 'it has a NUL character';
  if (part.startsWith(temporaryPrefix))
    return `names that begin with "${temporaryPrefix}" are kept for files being written`;
  if (!part.isWellFormed()) return 'it is not well-formed Unicode';
  if (Buffer.byteLength(part) > nameBytesMax) return `a part of it is longer than ${nameBytesMax} bytes`;
  return undefined;
}
