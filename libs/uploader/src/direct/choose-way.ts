import type { DownloadRequest } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import type { DirectRestore } from '@lateen/kopia-restore';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';

/** How a restore reads the data: from the packs directly, or by a run of the engine, and in that case why. */
export type Way = { direct: DirectRestore } | { direct: undefined; reason: string | undefined };

/** `spec.dataMoverConfig` of a DataDownload: `"false"` makes the engine restore. */
export const wantsDirect = ({ config }: Pick<DownloadRequest, 'config'>): boolean =>
  config.DirectRestore?.toLowerCase() !== 'false';

/** Why only the engine can do the restore; undefined when the error has another meaning. */
export const engineReason = (error: unknown): string | undefined =>
  isAppError(error, 'REPOSITORY_FORMAT_UNSUPPORTED') ? error.message : undefined;

/**
 * Restores without the engine wherever the reader supports the repository. @throws as `openDirectRestore`, except for errors that
 * only mean that the engine is needed
 */
export async function chooseWay(
  { openDirect }: Pick<KopiaUploaderOptions, 'openDirect'>,
  request: DownloadRequest,
): Promise<Way> {
  if (openDirect === undefined) return { direct: undefined, reason: undefined };
  if (!wantsDirect(request)) return { direct: undefined, reason: 'DirectRestore is "false"' };
  try {
    return { direct: await openDirect(request.signal) };
  } catch (error) {
    const reason = engineReason(error);
    if (reason === undefined) throw error;
    return { direct: undefined, reason };
  }
}
