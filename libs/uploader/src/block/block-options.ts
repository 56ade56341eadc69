import type { DownloadRequest, UploadRequest } from '@lateen/datapath';
import type { DeviceTools } from './allocation-map.ts';
import type { BlockDevices } from './block-device.ts';

/** What an engine needs to move volumes of volumeMode Block. */
export interface BlockOptions {
  devices: BlockDevices;
  tools: DeviceTools;
  /** For small files while a data path runs. */
  scratchDirectory: string;
  /** What the storage has not allocated is read where it is shorter than this: that costs less than to skip it. Default 64 KiB. */
  gapBytes?: number | undefined;
}

/** `spec.dataMoverConfig` of a DataUpload: `"false"` means that everything is read, whatever the file system says. */
export const skipsUnused = ({ config }: UploadRequest): boolean => config.SkipUnusedBlocks !== 'false';

/** `spec.dataMoverConfig` of a DataDownload: `"false"` means that every block is written, also zeroes. */
export const skipsZeroes = ({ config }: DownloadRequest): boolean => config.SkipZeroBlocks !== 'false';

/**
 * `spec.restoreType: incremental` of a DataDownload (`SkipUnchangedFiles` of its configuration): what the device has already is not
 * written.
 */
export const comparesFirst = ({ config }: DownloadRequest): boolean => config.SkipUnchangedFiles === 'true';
