import type { DownloadRequest, DownloadResult } from '@lateen/datapath';
import type { DirectRestore } from '@lateen/kopia-restore';
import { kopiaBlockDownload } from '../block/kopia-block-download.ts';
import { type EngineDownloadResult, kopiaDownload } from '../kopia-download.ts';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import { chooseWay, engineReason } from './choose-way.ts';
import { directBlockDownload } from './direct-block.ts';
import { directDownload } from './direct-download.ts';
import { directFailure } from './direct-failure.ts';
import { engineReport } from './engine-report.ts';

type Download = (options: KopiaUploaderOptions, request: DownloadRequest) => Promise<EngineDownloadResult>;

/**
 * Restores one snapshot into a volume of either mode: from its packs where the reader supports the repository, otherwise by the
 * engine. When the reader meets something unsupported on the way, the engine does the whole restore again. See
 * `Uploader.download` for abort and errors.
 */
export async function download(options: KopiaUploaderOptions, request: DownloadRequest): Promise<DownloadResult> {
  const isBlock = request.volumeMode === 'Block';
  const byEngine: Download = isBlock ? kopiaBlockDownload : kopiaDownload;
  const way = await chooseWay(options, request);
  if (way.direct === undefined) return await timed(options, request, byEngine, way.reason);
  const { direct } = way;
  try {
    return await (isBlock ? directBlockDownload : directDownload)(options, request, direct);
  } catch (error) {
    const reason = engineReason(error);
    request.signal.throwIfAborted();
    if (reason === undefined) throw directFailure(error, direct);
    return await timed(options, request, byEngine, reason);
  } finally {
    await closed(options, direct);
  }
}

/** Runs the engine's restore and adds the figures that can be measured from outside. */
async function timed(
  options: KopiaUploaderOptions,
  request: DownloadRequest,
  download: Download,
  reason: string | undefined,
): Promise<DownloadResult> {
  const { clock, log } = options;
  if (reason !== undefined) log.info({ snapshotID: request.snapshotID, reason }, 'the engine restores');
  const startMs = clock.now();
  const { files, figures, ...result } = await download(options, request);
  const report = engineReport({ ...result, files, figures, seconds: (clock.now() - startMs) / 1000, reason });
  return { ...result, report };
}

/** A restore does not fail because files are left in the scratch directory. */
async function closed({ log }: KopiaUploaderOptions, direct: DirectRestore): Promise<void> {
  await direct.close().catch((err: unknown) => log.warn({ err }, 'the reader of the repository did not close'));
}
