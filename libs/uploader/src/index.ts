export { kopiaUploader } from './kopia-uploader.ts';
export type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
export { downloadFailures, snapshotLookupFailures, uploadFailures } from './volume-failures.ts';
