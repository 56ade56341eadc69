import type { UploadRequest } from '@lateen/datapath';
import type { Logger } from '@lateen/kernel';
import type { EngineExit } from '@lateen/repository';
import { gapBytes as gapBytesDefault, rangesToRead } from './allocation-map.ts';
import type { BlockDevice } from './block-device.ts';
import { type BlockOptions, skipsUnused } from './block-options.ts';
import type { FullRead } from './block-splice.ts';
import { type ByteRange, joinRanges, lengthOf, overlapOf } from './byte-ranges.ts';
import { type ReadProgress, readDevice } from './read-device.ts';

/** `allocated`: see {@link FullRead}. */
export interface StreamOptions extends BlockOptions, Pick<FullRead, 'allocated'> {
  log: Logger;
}

/** The result of streaming a device into an engine. */
export interface StreamedDevice {
  exit: EngineExit;
  sizeBytes: number;
  /** Bytes that were really read; the rest is unused and was passed as zeroes. */
  readBytes: number;
  /** Why the device could not be read to its end; the engine was stopped then, and what it stored is useless. */
  failure: Error | undefined;
}

/**
 * Streams the device of a request into an engine's standard input; `run` starts the engine with it. Progress is in bytes of the
 * device. Resolves when the engine has exited, also when `request.signal` aborted (exit.aborted).
 * @throws BLOCK_DEVICE_…, BLOCK_READ_FAILED before the engine has been started; what `run` throws
 */
export async function streamDevice(
  { devices, tools, scratchDirectory, log, allocated, gapBytes = gapBytesDefault }: StreamOptions,
  request: UploadRequest,
  run: (input: { stdin: AsyncIterable<Uint8Array>; signal: AbortSignal }) => Promise<EngineExit>,
): Promise<StreamedDevice> {
  const device = await devices.open(request.volumePath, 'read');
  try {
    const { sizeBytes } = device;
    const { signal } = request;
    const whole = [{ start: 0, end: sizeBytes }];
    const ranges = skipsUnused(request)
      ? allocatedOf(await rangesToRead(device, { tools, scratchDirectory, log, signal }), { allocated, gapBytes, log })
      : whole;
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

/** Of ranges that have to be read, those in which the storage has data. */
function allocatedOf(
  ranges: ByteRange[],
  { allocated, gapBytes, log }: Pick<StreamOptions, 'allocated' | 'log'> & { gapBytes: number },
): ByteRange[] {
  if (allocated === undefined) return ranges;
  const areas = Array.from(allocated, ({ offset, length }) => ({ start: offset, end: offset + length }));
  const left = overlapOf(ranges, joinRanges(areas, gapBytes));
  log.info({ bytes: lengthOf(left), of: lengthOf(ranges) }, 'what the storage has not allocated is not read');
  return left;
}

/** Stops the engine itself when reading fails: the caller gets the exit, which may name a snapshot that has to be removed. */
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

/** An engine that exits without reading the whole device has not saved the device. */
function shortened(device: BlockDevice, read: ReadProgress, exit: EngineExit): Error | undefined {
  if (exit.exitCode !== 0 || exit.aborted || read.doneBytes === device.sizeBytes) return undefined;
  return new Error(`the engine ended after ${read.doneBytes} of ${device.sizeBytes} bytes of ${device.path}`);
}
