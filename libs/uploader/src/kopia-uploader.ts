import type { Uploader } from '@lateen/datapath';
import { kopiaBlockUpload } from './block/kopia-block-upload.ts';
import { download } from './direct/download.ts';
import { kopiaUpload } from './kopia-upload.ts';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
import { liveUpload } from './live/live-upload.ts';
import { withRestatedTags } from './restated-tags.ts';

/** The Uploader on kopia, for volumes of both modes (data-movement.md section 9). */
export function kopiaUploader(options: KopiaUploaderOptions): Uploader {
  return {
    upload: (request) =>
      withRestatedTags(options, request, () =>
        request.volumeMode === 'Block'
          ? kopiaBlockUpload(options, request)
          : liveUpload(options, request, (live) => kopiaUpload(options, request, live)),
      ),
    download: (request) => download(options, request),
  };
}
