import type { DownloadRequest } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import type { DirectRestore } from '@lateen/kopia-restore';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';

/** How the bytes come back: read from the packs by ourselves, or by a run of the engine, and why. */
export type Way = { direct: DirectRestore } | { direct: undefined; reason: string | undefined };

/** `spec.dataMoverConfig` of a DataDownload: `"false"` has the engine restore. */
export const wantsDirect = ({ config }: Pick<DownloadRequest, 'config'>): boolean =>
  config.DirectRestore?.toLowerCase() !== 'false';

/** Why the engine has to do it, when that is what the error means. */
export const engineReason = (error: unknown): string | undefined =>
  isAppError(error, 'REPOSITORY_FORMAT_UNSUPPORTED') ? error.message : undefined;

/** Without the engine wherever the reader knows the repository. @throws as `openDirectRestore`, but for what the engine knows */
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
