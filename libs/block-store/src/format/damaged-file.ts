import { AppError } from '@lateen/errors';

/**
 * The error for a file of the backup store with wrong content. The message names the file; the caller supplies the next step, because only it knows
 * what depends on the file.
 */
export const damagedFile = (key: string, why: string, nextStep: string, cause?: unknown): AppError =>
  new AppError('BLOCK_STORE_FILE', `${key} in the backup store cannot be used: ${why}`, {
    nextStep,
    cause,
    details: { key },
  });
