import { AppError } from '@lateen/errors';

/** What was read is what was written, but it is not what kopia writes: a manifest, a folder, a list of pieces. */
export const snapshotCorrupt = (what: string, cause?: unknown): AppError =>
  new AppError('SNAPSHOT_CORRUPT', what, cause === undefined ? {} : { cause });
