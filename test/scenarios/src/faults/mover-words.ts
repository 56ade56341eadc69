import type { AppError } from '@lateen/errors';
import { engineFailure, type KnownFailure } from '@lateen/repository';
import { downloadFailures, snapshotLookupFailures, uploadFailures } from '@lateen/uploader';

/** The prefix of the mover's termination message (data-movement.md section 7); the mover's own tests check the text. */
export const dataPathMessage = (name: string, error: string): string =>
  `Failed to run data path service for ${name === 'upload' ? 'DataUpload' : 'DataDownload'} ${name}: ${error}`;

const repository = 'bucket "backups", prefix "kopia/app/", endpoint "s3.test:9000"';

/** The error that our uploader makes of kopia's exit code 1 and this standard error. */
function failure(stderr: string, doing: string, known: readonly KnownFailure[]): AppError {
  const exit = { exitCode: 1, endedBy: undefined, stdout: '', stderr, aborted: false };
  return engineFailure(exit, known, { subject: { repository, doing }, fallbackCode: 'ENGINE_FAILED', secrets: [] });
}

export const uploadSays = (stderr: string): AppError => failure(stderr, 'uploading /volume', uploadFailures);
export const downloadSays = (stderr: string): AppError =>
  failure(stderr, 'restoring snapshot 0123 to /volume', downloadFailures);
export const lookUpSays = (stderr: string): AppError =>
  failure(stderr, 'looking up snapshot 0123', snapshotLookupFailures);
