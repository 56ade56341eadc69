import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
import { snapshotLookupFailures } from './volume-failures.ts';

/**
 * Shorter uploads keep the tags of the command line: a session costs 0.7 s, and that Velero reads such a volume as a whole once
 * costs less than a session after each upload (docs/adr/0080).
 */
export const restatedFromMs = 30_000;

/** Longer than three lost sessions take; the upload itself has succeeded. */
const restateMsMax = 120_000;

/**
 * Runs `upload`, and after a long one stores the tags of the snapshot again in the form that Velero looks for. When that fails,
 * the snapshot is still valid: only a later backup by Velero is affected.
 * @throws what `upload` throws; SNAPSHOT_NOT_FOUND when the new ID of the snapshot cannot be determined
 */
export async function withRestatedTags(
  options: KopiaUploaderOptions,
  request: UploadRequest,
  upload: () => Promise<UploadResult>,
): Promise<UploadResult> {
  const { clock, log, restateTags, session } = options;
  const startMs = clock.monotonicMs();
  const result = await upload();
  if (restateTags === undefined || clock.monotonicMs() - startMs < restatedFromMs) return result;
  const { snapshotID } = result;
  // The request's signal is not used: an abort here would leave the ID unknown.
  const signal = clock.deadline(restateMsMax);
  try {
    return { ...result, snapshotID: await restateTags({ snapshotID, source: request.source, signal }) };
  } catch (error) {
    log.warn({ err: error, snapshotID }, 'the tags of the snapshot stay in the form that Velero does not look for');
    const exit = await session.run(['manifest', 'show', snapshotID], { signal: clock.deadline(restateMsMax) });
    if (exit.exitCode === 0) return result;
    throw isAppError(error, 'SNAPSHOT_NOT_FOUND')
      ? error
      : session.failure(exit, `looking up snapshot ${snapshotID}`, snapshotLookupFailures);
  }
}
