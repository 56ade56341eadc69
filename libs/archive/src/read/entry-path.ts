import { AppError } from '@lateen/errors';

/** Parts that are empty, `.` or `..`. */
const oddPart = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * The path of an entry below the root of the archive: `./a//b` is `a/b`, and "" is the root itself.
 * @throws ARCHIVE_PATH_ESCAPES for one that leads out of it, in Velero's words (object-store-layout.md section 4)
 */
export function entryPath(written: string): string {
  if (!oddPart.test(written)) return written;
  const parts: string[] = [];
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw escapes(written);
  }
  return parts.join('/');
}

const escapes = (path: string): AppError =>
  new AppError('ARCHIVE_PATH_ESCAPES', `invalid archive path ${JSON.stringify(path)}: escapes target directory`, {
    nextStep: 'The archive is damaged, or was made to write outside of its folder. Do not use it.',
  });
