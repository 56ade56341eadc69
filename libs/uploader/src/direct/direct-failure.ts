import { AppError, isAppError } from '@lateen/errors';

/** The reader's codes for what the engine's runs call UPLOADER_DATA_MISSING. */
const missing = ['CONTENT_MISSING', 'OBJECT_NOT_FOUND', 'PACK_CUT'] as const;

/** Maps errors of the reader to the codes that callers know from the engine; other errors stay unchanged. */
export function directFailure(error: unknown, { name }: { name: string }): unknown {
  if (!missing.some((code) => isAppError(error, code))) return error;
  return new AppError('UPLOADER_DATA_MISSING', `data of the snapshot is missing from ${name}`, {
    cause: error,
    retry: 'later',
    nextStep: 'Verify the repository with kopia snapshot verify; restore missing blobs from a copy of the bucket.',
  });
}
