import { createHash } from 'node:crypto';
import { AppError } from '@lateen/errors';
import { wrongInKey } from '@lateen/object-store';

/** What a file name may have on every file system that matters (NAME_MAX of limits.h). */
const nameBytesMax = 255;

/** Names of files that are not objects yet. No key may have such a part. */
export const temporaryPrefix = '.lateen-tmp-';

/** What the names of a file's temporary ones begin with: another file's begin with something else. */
export const temporaryBegin = (name: string): string =>
  `${temporaryPrefix}${createHash('sha256').update(name).digest('hex').slice(0, 16)}-`;

export interface KeyPath {
  /** From the root down. */
  directories: readonly string[];
  name: string;
}

/** Where a key is. @throws OBJECT_KEY_INVALID when it has no place, or would have one outside the root */
export function keyPathOf(key: string): KeyPath {
  const parts = key.split('/');
  const wrong = wrongInPath(parts);
  if (wrong === undefined) return { directories: parts.slice(0, -1), name: parts.at(-1) ?? '' };
  throw new AppError('OBJECT_KEY_INVALID', `object key ${JSON.stringify(key)} cannot be a file: ${wrong}`);
}

/** The directories of a prefix that ends in "/" (or is ""), and what names below them begin with. */
export function prefixPathOf(prefix: string): { directories: readonly string[]; begin: string } | undefined {
  const parts = prefix.split('/');
  const begin = parts.pop() ?? '';
  // Such a prefix is legal, only no key can have it.
  if (parts.length > 0 && wrongInPath(parts) !== undefined) return undefined;
  return { directories: parts, begin };
}

/** What no key may be, and what no file can be called. */
function wrongInPath(parts: readonly string[]): string | undefined {
  const wrong = wrongInKey(parts.join('/'));
  if (wrong !== undefined) return wrong;
  if (parts.at(-1) === '') return 'a part of it is empty';
  if (parts.some((part) => part.startsWith(temporaryPrefix))) {
    return `names that begin with "${temporaryPrefix}" are kept for files being written`;
  }
  const isLong = parts.some((part) => Buffer.byteLength(part) > nameBytesMax);
  return isLong ? `a part of it is longer than ${nameBytesMax} bytes` : undefined;
}
