import type { UploadRequest } from '@lateen/datapath';
import type { Logger } from '@lateen/kernel';
import type { EngineExit } from '@lateen/repository';
import { rangesToRead } from './allocation-map.ts';
import type { BlockDevice } from './block-device.ts';
import { type BlockOptions, skipsUnused } from './block-options.ts';
import { type ReadProgress, readDevice } from './read-device.ts';

/** How a device went through an engine. */
export interface StreamedDevice {
  exit: EngineExit;
  sizeBytes: number;
  /** What of it was really read; the rest is not in use and was given as zeroes. */
  readBytes: number;
  /** Why the device could not be read to its end; the engine was then ended, and what it stored is of no use. */
  failure: Error | undefined;
}

/**
 * Reads the device of a request into an engine's standard input; `run` starts the engine with it. Progress is in bytes of
 * the device. Resolves when the engine is gone, also when `request.signal` aborted (exit.aborted).
 * @throws BLOCK_DEVICE_…, BLOCK_READ_FAILED before the engine has been started; what `run` throws
 */
export async function streamDevice(
  { devices, tools, scratchDirectory, log }: BlockOptions & { log: Logger },
  request: UploadRequest,
  run: (input: { stdin: AsyncIterable<Uint8Array>; signal: AbortSignal }) => Promise<EngineExit>,
): Promise<StreamedDevice> {
  const device = await devices.open(request.volumePath, 'read');
  try {
    const { sizeBytes } = device;
    const { signal } = request;
    const whole = [{ start: 0, end: sizeBytes }];
    const ranges = skipsUnused(request) ? await rangesToRead(device, { tools, scratchDirectory, log, signal }) : whole;
    request.onProgress({ totalBytes: sizeBytes, doneBytes: 0 });
    let read: ReadProgress = { doneBytes: 0, readBytes: 0 };
    const broken = new AbortController();
    const stdin = endingOnFailure(
      readDevice(device, ranges, (progress) => {
        read = progress;
        request.onProgress({ totalBytes: sizeBytes, doneBytes: progress.doneBytes });
      }),
      broken,
    );
    const exit = await run({ stdin, signal: AbortSignal.any([signal, broken.signal]) });
    const failure = broken.signal.aborted && !signal.aborted ? broken.signal.reason : shortened(device, read, exit);
    return { exit, sizeBytes, readBytes: read.readBytes, failure };
  } finally {
    await device.close();
  }
}

/**
 * Ends the engine's run by itself when reading fails: the exit then comes back to the caller, who may find a snapshot in it
 * that has to be removed.
 */
async function* endingOnFailure(
  source: AsyncIterable<Uint8Array>,
  broken: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* source;
  } catch (error) {
    broken.abort(error);
    throw error;
  }
}

/** An engine that is content with a part of the device has not saved the device. */
function shortened(device: BlockDevice, read: ReadProgress, exit: EngineExit): Error | undefined {
  if (exit.exitCode !== 0 || exit.aborted || read.doneBytes === device.sizeBytes) return undefined;
  return new Error(`the engine ended after ${read.doneBytes} of ${device.sizeBytes} bytes of ${device.path}`);
}
