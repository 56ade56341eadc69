import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
import { snapshotLookupFailures } from './volume-failures.ts';

/**
 * Uploads that took less keep the tags of the command line: a session costs 0.7 s, and that Velero reads such a volume once as a
 * whole costs less than a session after each upload (docs/adr/0080).
 */
export const restatedFromMs = 30_000;

/** Longer than three sessions that are lost; the upload itself has ended well. */
const restateMsMax = 120_000;

/**
 * Does `upload`, and after a long one has the tags of the snapshot stored as Velero looks for them. When that fails, the snapshot
 * counts as it is: only Velero is the worse for it.
 * @throws what `upload` throws; SNAPSHOT_NOT_FOUND when nobody can say which ID the snapshot has
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
  // Not by the request's signal: to break it off would leave the ID in doubt.
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
