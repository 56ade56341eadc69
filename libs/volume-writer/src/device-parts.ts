import { constants, openSync } from 'node:fs';
import { BackgroundSync } from './background-sync.ts';
import { blockRuns } from './blocks.ts';
import { deviceTransferError } from './device-transfer-error.ts';
import { readFully, writeFully } from './write-file.ts';

export interface DevicePartsOptions {
  devicePath: string;
  /** Blocks of zeroes are written only where the device reads otherwise. */
  skipsZeroes: boolean;
  /** The device reads as zero wherever nothing was written: the storage has zeroed it by itself. */
  readsZero: boolean;
  /**
   * Makes the storage zero a range by itself; false where it cannot. Long runs of zeroes are then neither written nor kept as blocks of
   * zeroes.
   */
  punch?: ((offset: number, length: number) => Promise<boolean>) | undefined;
}

/** A shorter run of zeroes is written: each punch is a run of a program. */
const punchedBytesMin = 1024 * 1024;

/**
 * Writes parts of a block device in any order; one per thread, several for one device. Synchronous but for `settle`. Nothing is on the storage
 * before the device is flushed, by whoever opened it to do so.
 */
export interface DeviceParts {
  /** @throws BLOCK_WRITE_FAILED, BLOCK_READ_FAILED naming device and offset */
  write(data: Uint8Array, offset: number): void;
  /** Fills `into` from `offset`. @throws BLOCK_READ_FAILED naming device and offset */
  read(into: Uint8Array, offset: number): void;
  /** Zeroes what `write` has left to the storage, which is a part of having written it. @throws BLOCK_WRITE_FAILED */
  settle(): Promise<void>;
  /** What was really written so far. */
  readonly writtenBytes: number;
  close(): void;
}

export function deviceParts({ devicePath, skipsZeroes, readsZero, punch }: DevicePartsOptions): DeviceParts {
  const device = openDevice(devicePath);
  let writtenBytes = 0;
  let canPunch = punch !== undefined;
  let unzeroed: { offset: number; length: number }[] = [];
  let failure: Error | undefined;
  const sync = new BackgroundSync(device, (error) => {
    failure ??= error;
  });
  const read = (into: Uint8Array, offset: number) =>
    readFully(device, into, offset, (at, cause) => deviceTransferError('read', devicePath, at, cause));
  const write = (data: Uint8Array, offset: number) => {
    try {
      if (failure !== undefined) throw failure;
      writeFully(device, data, offset);
    } catch (cause) {
      throw deviceTransferError('write', devicePath, offset, cause);
    }
    writtenBytes += data.length;
    sync.wrote(data.length);
  };
  const readsSame = (data: Uint8Array, offset: number): boolean => {
    const present = Buffer.allocUnsafe(data.length);
    read(present, offset);
    return present.equals(data);
  };
  const zero = async (offset: number, length: number) => {
    canPunch &&= (await punch?.(offset, length)) === true;
    if (canPunch) return;
    // What a punch that failed has left in the range is not known.
    const zeroes = Buffer.alloc(Math.min(length, punchedBytesMin));
    for (let done = 0; done < length; done += zeroes.length)
      write(zeroes.subarray(0, Math.min(zeroes.length, length - done)), offset + done);
  };
  return {
    read,
    write: (data, offset) => {
      const runs = skipsZeroes ? blockRuns(data, offset) : [{ start: 0, end: data.length, isZero: false }];
      for (const { start, end, isZero } of runs) {
        const run = data.subarray(start, end);
        if (isZero && (readsZero || readsSame(run, offset + start))) continue;
        if (isZero && canPunch && run.length >= punchedBytesMin)
          unzeroed.push({ offset: offset + start, length: run.length });
        else write(run, offset + start);
      }
    },
    settle: async () => {
      const ranges = unzeroed;
      unzeroed = [];
      for (const { offset, length } of ranges) await zero(offset, length);
    },
    get writtenBytes() {
      return writtenBytes;
    },
    close: () => sync.close(),
  };
}

function openDevice(path: string): number {
  try {
    return openSync(path, constants.O_RDWR);
  } catch (cause) {
    throw deviceTransferError('write', path, 0, cause);
  }
}
