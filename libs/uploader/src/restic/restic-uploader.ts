import type { Uploader } from '@lateen/datapath';
import { resticBlockDownload, resticBlockUpload } from './restic-block.ts';
import { resticDownload } from './restic-download.ts';
import { resticUpload } from './restic-upload.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';

/** The Uploader on restic 0.14, for volumes of both modes (data-movement.md section 11). */
export function resticUploader(options: ResticUploaderOptions): Uploader {
  return {
    upload: (request) =>
      request.volumeMode === 'Block' ? resticBlockUpload(options, request) : resticUpload(options, request),
    download: (request) =>
      request.volumeMode === 'Block' ? resticBlockDownload(options, request) : resticDownload(options, request),
  };
}
