export { kopiaUploader } from './kopia-uploader.ts';
export type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
export { resticUploader } from './restic/restic-uploader.ts';
export type { ResticUploaderOptions } from './restic/restic-uploader-options.ts';
export { downloadFailures, snapshotLookupFailures, uploadFailures } from './volume-failures.ts';
