import type { Uploader } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { resticDownload } from './restic-download.ts';
import { resticUpload } from './restic-upload.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';

/** The Uploader on restic 0.14 (data-movement.md section 11). */
export function resticUploader(options: ResticUploaderOptions): Uploader {
  return {
    upload: async (request) => {
      mustBeFilesystem(request.volumeMode);
      return resticUpload(options, request);
    },
    download: async (request) => {
      mustBeFilesystem(request.volumeMode);
      return resticDownload(options, request);
    },
  };
}

function mustBeFilesystem(mode: string): void {
  if (mode === 'Filesystem') return;
  throw new AppError('UPLOADER_UNSUPPORTED', `volumes of mode ${mode} cannot be moved with restic yet`, {
    nextStep: 'Use UploaderType kopia for them.',
  });
}
