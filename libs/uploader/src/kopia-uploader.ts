import type { Uploader } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { kopiaDownload } from './kopia-download.ts';
import { kopiaUpload } from './kopia-upload.ts';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';

/** The Uploader on kopia, for volumes with a file system (data-movement.md section 9). */
export function kopiaUploader(options: KopiaUploaderOptions): Uploader {
  return {
    upload: async (request) => {
      mustBeFilesystem(request.volumeMode);
      return kopiaUpload(options, request);
    },
    download: async (request) => {
      mustBeFilesystem(request.volumeMode);
      return kopiaDownload(options, request);
    },
  };
}

function mustBeFilesystem(mode: string): void {
  if (mode === 'Filesystem') return;
  throw new AppError('UPLOADER_UNSUPPORTED', `volumes of mode ${mode} cannot be moved yet`, {
    nextStep: 'Only volumeMode Filesystem is supported by this version.',
  });
}
