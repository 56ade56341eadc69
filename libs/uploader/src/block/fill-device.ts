import type { DownloadRequest } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import type { BlockDevice } from './block-device.ts';
import { type BlockOptions, skipsZeroes } from './block-options.ts';
import { deviceWriter } from './write-device.ts';

/**
 * Writes what an engine prints to the device of a request, from offset 0, and flushes the device; `run` starts the engine and
 * resolves when it succeeded. Progress is in bytes of the data.
 * @throws UPLOADER_VOLUME_FULL before anything is written when the device is too small; BLOCK_DEVICE_…, BLOCK_WRITE_FAILED,
 * BLOCK_DATA_CUT; what `run` throws; the signal's reason
 */
export async function fillDevice(
  { devices, log }: BlockOptions & { log: Logger },
  request: DownloadRequest,
  totalBytes: number,
  run: (onStdout: (chunk: Buffer) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { volumePath, signal } = request;
  const device = await devices.open(volumePath, 'write');
  try {
    mustFit(device, totalBytes);
    const writer = await deviceWriter(device, totalBytes, { skipZeroes: skipsZeroes(request), signal });
    request.onProgress({ totalBytes, doneBytes: 0 });
    await run(async (chunk) => {
      await writer.write(chunk);
      request.onProgress({ totalBytes, doneBytes: Math.min(writer.doneBytes, totalBytes) });
    });
    signal.throwIfAborted();
    await writer.end();
    if (writer.doneBytes !== totalBytes) {
      throw new AppError('BLOCK_DATA_CUT', `the engine gave ${writer.doneBytes} of ${totalBytes} bytes`, {
        retry: 'later',
        nextStep: 'Verify the repository with kopia snapshot verify.',
      });
    }
    log.info({ device: volumePath, totalBytes, writtenBytes: writer.writtenBytes }, 'the block device is filled');
  } finally {
    await device.close();
  }
}

/** @throws UPLOADER_VOLUME_FULL */
export function mustFit({ path, sizeBytes }: BlockDevice, totalBytes: number): void {
  if (sizeBytes >= totalBytes) return;
  throw new AppError(
    'UPLOADER_VOLUME_FULL',
    `block device ${path} has ${sizeBytes} bytes, the snapshot ${totalBytes}`,
    { retry: 'never', nextStep: 'Restore into a claim that requests at least the size of the source volume.' },
  );
}
