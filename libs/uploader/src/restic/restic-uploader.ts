import type { DownloadRequest, DownloadResult, Uploader } from '@lateen/datapath';
import { engineReport } from '../direct/engine-report.ts';
import type { EngineDownloadResult } from '../kopia-download.ts';
import { liveUpload } from '../live/live-upload.ts';
import { resticBlockDownload, resticBlockUpload } from './restic-block.ts';
import { resticDownload } from './restic-download.ts';
import { resticUpload } from './restic-upload.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';

/** The Uploader on restic 0.14, for volumes of both modes (data-movement.md section 11). */
export function resticUploader(options: ResticUploaderOptions): Uploader {
  return {
    upload: (request) =>
      request.volumeMode === 'Block'
        ? resticBlockUpload(options, request)
        : liveUpload(options, request, (live) => resticUpload(options, request, live)),
    download: (request) => reported(options, request),
  };
}

/** Adds the figures of the engine's restore that can be measured from outside. */
async function reported(options: ResticUploaderOptions, request: DownloadRequest): Promise<DownloadResult> {
  const download: (options: ResticUploaderOptions, request: DownloadRequest) => Promise<EngineDownloadResult> =
    request.volumeMode === 'Block' ? resticBlockDownload : resticDownload;
  const startMs = options.clock.now();
  const { figures, ...result } = await download(options, request);
  const seconds = (options.clock.now() - startMs) / 1000;
  return { ...result, report: engineReport({ ...result, figures, seconds, reason: undefined }) };
}
