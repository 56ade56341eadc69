import { AppError } from '@lateen/errors';

/** Layout of the archive that we write (object-store-layout.md section 4); Backups name it in `status.formatVersion`. */
export const archiveFormatVersion = '1.1.0';

/** The first entry of every archive. */
export const versionPath = 'metadata/version';

/** The first version was written as `1`. */
const written = /^(\d{1,9})(?:\.\d{1,9}){0,2}$/;

const majorKnown = Number(written.exec(archiveFormatVersion)?.[1]);

/**
 * What {@link versionPath} says.
 * @throws ARCHIVE_FORMAT_UNKNOWN for a newer layout, and for what is no version
 */
export function readFormatVersion(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 100)).toString().trim();
  const major = written.exec(text)?.[1];
  if (major !== undefined && Number(major) <= majorKnown) return text;
  const what =
    major === undefined ? `names ${JSON.stringify(text)} as its format version` : `has format version ${text}`;
  throw new AppError('ARCHIVE_FORMAT_UNKNOWN', `the archive ${what}; only versions up to ${majorKnown}.x can be read`, {
    nextStep: 'Restore it with the program that wrote it, or with a newer version of Lateen.',
  });
}
