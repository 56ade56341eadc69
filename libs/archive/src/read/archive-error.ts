import { AppError } from '@lateen/errors';

/** The archive is damaged; reading it again gives the same. */
export const brokenArchive = (what: string, cause?: unknown): AppError =>
  new AppError('ARCHIVE_BROKEN', `the archive is damaged or incomplete: ${what}`, { cause });

export const archiveTooLarge = (what: string): AppError => new AppError('ARCHIVE_TOO_LARGE', what);
