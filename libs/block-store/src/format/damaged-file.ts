import { AppError } from '@lateen/errors';

/**
 * A file of the backup store that does not hold what it should. The message names the file; the next step is the caller's,
 * for only it knows what depends on the file.
 */
export const damagedFile = (key: string, why: string, nextStep: string, cause?: unknown): AppError =>
  new AppError('BLOCK_STORE_FILE', `${key} in the backup store cannot be used: ${why}`, {
    nextStep,
    cause,
    details: { key },
  });
