import { AppError } from '@lateen/errors';

export const indexCorrupt = (blobId: string, why: string, cause?: unknown): AppError =>
  new AppError('INDEX_CORRUPT', `index blob ${blobId} of the repository is damaged: ${why}`, {
    details: { blobId },
    ...(cause === undefined ? {} : { cause }),
  });
