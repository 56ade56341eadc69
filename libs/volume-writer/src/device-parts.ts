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
}

/**
 * Writes parts of a block device in any order; one per thread, several for one device. Synchronous. Nothing is on the storage
 * before the device is flushed, by whoever opened it to do so.
 */
export interface DeviceParts {
  /** @throws BLOCK_WRITE_FAILED, BLOCK_READ_FAILED naming device and offset */
  write(data: Uint8Array, offset: number): void;
  /** Fills `into` from `offset`. @throws BLOCK_READ_FAILED naming device and offset */
  read(into: Uint8Array, offset: number): void;
  /** What was really written so far. */
  readonly writtenBytes: number;
  close(): void;
}

export function deviceParts({ devicePath, skipsZeroes, readsZero }: DevicePartsOptions): DeviceParts {
  const device = openDevice(devicePath);
  let writtenBytes = 0;
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
  return {
    read,
    write: (data, offset) => {
      const runs = skipsZeroes ? blockRuns(data, offset) : [{ start: 0, end: data.length, isZero: false }];
      for (const { start, end, isZero } of runs) {
        const run = data.subarray(start, end);
        if (isZero && (readsZero || readsSame(run, offset + start))) continue;
        write(run, offset + start);
      }
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
