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
  /** Bytes that the device had already, and those that were compared to find out. */
  readonly unchangedBytes: number;
  readonly comparedBytes: number;
}

/**
 * Writes a stream of `lengthBytes` to a device from offset 0, in aligned chunks, and skips zeroes where the device reads as zero
 * already. First the storage is asked to zero the range; where it cannot, a block of zeroes is written only if the device holds
 * something else there (docs/adr/0010). With `compares`, a chunk that the device has already is not written, and nothing is zeroed
 * before it was compared.
 */
export async function deviceWriter(
  device: BlockDevice,
  lengthBytes: number,
  options: DeviceWriterOptions,
): Promise<DeviceWriter> {
  const { skipZeroes, compares, signal } = options;
  const readsZero = skipZeroes && !compares && (await zeroedByItself(device, lengthBytes, signal));
  return new StreamWriter(device, options, readsZero);
}

interface DeviceWriterOptions {
  skipZeroes: boolean;
  compares: boolean;
  signal: AbortSignal;
}

class StreamWriter implements DeviceWriter {
  writtenBytes = 0;
  comparedBytes = 0;
  unchangedBytes = 0;
  readonly #device: BlockDevice;
  readonly #options: DeviceWriterOptions;
  readonly #readsZero: boolean;
  readonly #held = Buffer.alloc(chunkBytes);
  readonly #present = Buffer.alloc(chunkBytes);
  #heldBytes = 0;
  #offset = 0;

  constructor(device: BlockDevice, options: DeviceWriterOptions, readsZero: boolean) {
    this.#device = device;
    this.#options = options;
    this.#readsZero = readsZero;
  }

  get doneBytes(): number {
    return this.#offset + this.#heldBytes;
  }

  async write(data: Uint8Array): Promise<void> {
    for (let taken = 0; taken < data.length; ) {
      const length = Math.min(chunkBytes - this.#heldBytes, data.length - taken);
      this.#held.set(data.subarray(taken, taken + length), this.#heldBytes);
      this.#heldBytes += length;
      taken += length;
      if (this.#heldBytes === chunkBytes) await this.#put();
    }
  }

  async end(): Promise<void> {
    if (this.#heldBytes > 0) await this.#put();
    this.#options.signal.throwIfAborted();
    await this.#device.flush();
  }

  async #put(): Promise<void> {
    const { skipZeroes, compares, signal } = this.#options;
    signal.throwIfAborted();
    const chunk = this.#held.subarray(0, this.#heldBytes);
    const isThere = compares && (await this.#reads(chunk, this.#offset));
    if (compares) this.comparedBytes += chunk.length;
    if (isThere) this.unchangedBytes += chunk.length;
    else if (skipZeroes) await this.#putRuns(chunk);
    else await this.#write(chunk, this.#offset);
    this.#offset += chunk.length;
    this.#heldBytes = 0;
  }

  async #putRuns(chunk: Buffer): Promise<void> {
    for (const { start, end, isZero } of blockRuns(chunk, this.#offset)) {
      const [run, at] = [chunk.subarray(start, end), this.#offset + start];
      if (isZero && (this.#readsZero || (await this.#reads(run, at)))) continue;
      // A whole chunk of zeroes in place of data: the storage need not keep it. Shorter runs are not worth the run of a program.
      const isPunched = isZero && run.length === chunkBytes && this.#options.compares;
      if (isPunched && (await this.#device.punch(at, run.length, this.#options.signal))) continue;
      await this.#write(run, at);
    }
  }

  async #reads(expected: Buffer, at: number): Promise<boolean> {
    const present = this.#present.subarray(0, expected.length);
    await this.#device.read(present, at);
    return present.equals(expected);
  }

  async #write(data: Uint8Array, at: number): Promise<void> {
    await this.#device.write(data, at);
    this.writtenBytes += data.length;
  }
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
