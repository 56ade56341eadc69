import { blockBytes, blockRuns } from '@lateen/volume-writer';
import type { BlockDevice } from './block-device.ts';
import { chunkBytes } from './read-device.ts';

/** The most bytes per request to zero a range: a long request cannot be interrupted. */
const punchBytes = 16 * 1024 ** 3;

export interface DeviceWriter {
  /** Writes the next bytes of the stream. @throws BLOCK_WRITE_FAILED, BLOCK_READ_FAILED */
  write(data: Uint8Array): Promise<void>;
  /** Writes what is still buffered, and flushes the device. */
  end(): Promise<void>;
  /** Bytes received so far, and those of them that were written. */
  readonly doneBytes: number;
  readonly writtenBytes: number;
}

/**
 * Writes a stream of `lengthBytes` to a device from offset 0, in aligned chunks, and skips zeroes where the device reads as zero
 * already. First the storage is asked to zero the range; where it cannot, a block of zeroes is written only if the device holds
 * something else there (docs/adr/0010).
 */
export async function deviceWriter(
  device: BlockDevice,
  lengthBytes: number,
  options: { skipZeroes: boolean; signal: AbortSignal },
): Promise<DeviceWriter> {
  const zeroed = options.skipZeroes && (await zeroedByItself(device, lengthBytes, options.signal));
  const held = Buffer.alloc(chunkBytes);
  const present = Buffer.alloc(chunkBytes);
  let heldBytes = 0;
  let offset = 0;
  let writtenBytes = 0;
  const write = async (data: Uint8Array, at: number) => {
    await device.write(data, at);
    writtenBytes += data.length;
  };
  const writeRuns = async (chunk: Buffer, at: number) => {
    for (const { start, end, isZero } of blockRuns(chunk, at)) {
      const run = chunk.subarray(start, end);
      if (isZero && zeroed) continue;
      if (isZero) {
        const before = present.subarray(0, run.length);
        await device.read(before, at + start);
        if (before.equals(run)) continue;
      }
      await write(run, at + start);
    }
  };
  const put = async (chunk: Buffer) => {
    options.signal.throwIfAborted();
    await (options.skipZeroes ? writeRuns(chunk, offset) : write(chunk, offset));
    offset += chunk.length;
  };
  return {
    async write(data) {
      for (let taken = 0; taken < data.length; ) {
        const length = Math.min(chunkBytes - heldBytes, data.length - taken);
        held.set(data.subarray(taken, taken + length), heldBytes);
        heldBytes += length;
        taken += length;
        if (heldBytes < chunkBytes) continue;
        heldBytes = 0;
        await put(held);
      }
    },
    async end() {
      if (heldBytes > 0) await put(held.subarray(0, heldBytes));
      heldBytes = 0;
      options.signal.throwIfAborted();
      await device.flush();
    },
    get doneBytes() {
      return offset + heldBytes;
    },
    get writtenBytes() {
      return writtenBytes;
    },
  };
}

/** Whether the storage has zeroed the first bytes of a device without a write. */
export async function zeroedByItself(device: BlockDevice, lengthBytes: number, signal: AbortSignal): Promise<boolean> {
  // Whole blocks only: a part of the last block may lie behind the data.
  const whole = lengthBytes - (lengthBytes % blockBytes);
  for (let offset = 0; offset < whole; offset += punchBytes) {
    if (!(await device.punch(offset, Math.min(punchBytes, whole - offset), signal))) return false;
  }
  return whole === lengthBytes;
}
