import type { DownloadRequest, RestoreReport } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import type { BlockDevice } from './block-device.ts';
import { type BlockOptions, comparesFirst, skipsZeroes } from './block-options.ts';
import { type DeviceWriter, deviceWriter } from './write-device.ts';

/** What was compared with a device and written to it; see `RestoreReport`. */
export type DeviceFigures = Pick<RestoreReport, 'comparedBytes' | 'unchangedBytes' | 'writtenBytes'>;

/**
 * Writes what an engine prints to the device of a request, from offset 0, and flushes the device; `run` starts the engine and
 * resolves when it succeeded. Progress is in bytes of the data. A restore of differences writes only chunks that the device does not have.
 * @throws UPLOADER_VOLUME_FULL before anything is written when the device is too small; BLOCK_DEVICE_…, BLOCK_WRITE_FAILED,
 * BLOCK_DATA_CUT; what `run` throws; the signal's reason
 */
export async function fillDevice(
  { devices, log }: BlockOptions & { log: Logger },
  request: DownloadRequest,
  totalBytes: number,
  run: (onStdout: (chunk: Buffer) => Promise<void>) => Promise<void>,
): Promise<DeviceFigures> {
  const { volumePath, signal } = request;
  const device = await devices.open(volumePath, 'write');
  try {
    mustFit(device, totalBytes);
    const wish = { skipZeroes: skipsZeroes(request), compares: comparesFirst(request) };
    const writer = await deviceWriter(device, totalBytes, { ...wish, signal });
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
    const figures = figuresOf(writer, wish);
    log.info({ device: volumePath, totalBytes, ...figures }, 'the block device is filled');
    return figures;
  } finally {
    await device.close();
  }
}

const figuresOf = (
  { comparedBytes, unchangedBytes, writtenBytes }: DeviceWriter,
  { compares }: { compares: boolean },
): DeviceFigures => (compares ? { comparedBytes, unchangedBytes, writtenBytes } : { writtenBytes });

/** @throws UPLOADER_VOLUME_FULL */
export function mustFit({ path, sizeBytes }: BlockDevice, totalBytes: number): void {
  if (sizeBytes >= totalBytes) return;
  throw new AppError(
    'UPLOADER_VOLUME_FULL',
    `block device ${path} has ${sizeBytes} bytes, the snapshot ${totalBytes}`,
    { retry: 'never', nextStep: 'Restore into a claim that requests at least the size of the source volume.' },
  );
}
