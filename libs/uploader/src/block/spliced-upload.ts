import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import type { BlockDevice } from './block-device.ts';
import { type BlockChanges, type BlockSplice, baseUnusableCode } from './block-splice.ts';

/**
 * Makes one snapshot of a block device from its base and the changes. Undefined when everything has to be read: the changes are
 * not known, or the base cannot be used, which is logged as a warning with the reason. `incrementalBytes` is the number of bytes
 * read from the device. Errors are those of the whole upload, and what `splice` throws.
 */
export async function splicedUpload(
  { block, blockSplice, log }: KopiaUploaderOptions,
  request: UploadRequest,
): Promise<UploadResult | undefined> {
  if (blockSplice === undefined) return undefined;
  const { source, volumePath, signal } = request;
  const device = await block.devices.open(volumePath, 'read');
  try {
    const { sizeBytes } = device;
    const changes = await blockSplice.changesOf({ source, sizeBytes, signal });
    if (changes === undefined) return undefined;
    const { snapshotID, readBytes } = await splice(blockSplice, device, changes, request);
    request.onProgress({ totalBytes: sizeBytes, doneBytes: sizeBytes });
    log.info(
      { snapshotID, baseID: changes.baseID, readBytes, sizeBytes },
      'what has changed was read, the rest is of the base',
    );
    return { snapshotID, totalBytes: sizeBytes, incrementalBytes: readBytes };
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error, baseUnusableCode)) throw error;
    log.warn({ err: error }, 'the volume is read as a whole');
    request.onWarning?.(`The volume was read as a whole: ${error.message}.`);
    return undefined;
  } finally {
    await device.close();
  }
}

function splice(
  { splice }: BlockSplice,
  device: BlockDevice,
  changes: BlockChanges,
  { source, volumePath, onProgress, signal }: UploadRequest,
): Promise<{ snapshotID: string; readBytes: number }> {
  const { sizeBytes } = device;
  return splice({
    ...changes,
    source,
    sizeBytes,
    fileName: volumePath,
    read: (into, offset) => device.read(into, offset),
    // Progress is in bytes of the device: unchanged bytes count as done, and chunks that are read again count once.
    onProgress: ({ changedBytes, readBytes }) =>
      onProgress({ totalBytes: sizeBytes, doneBytes: sizeBytes - Math.max(0, changedBytes - readBytes) }),
    signal,
  });
}
