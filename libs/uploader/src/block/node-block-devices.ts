import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { EngineProcess } from '@lateen/repository';
import { deviceTransferError, punchRange } from '@lateen/volume-writer';
import type { BlockDevice, BlockDevices } from './block-device.ts';

export interface NodeBlockDevicesOptions {
  /** fallocate of util-linux. */
  fallocate: EngineProcess;
  /** The size of a file that may be used as a device, undefined for any other; by default only block devices may. */
  sizeOf?: (path: string, found: Stats) => Promise<number | undefined>;
}

/** The block devices of this machine. */
export function nodeBlockDevices({ fallocate, sizeOf = sizeOfDevice }: NodeBlockDevicesOptions): BlockDevices {
  return {
    open: async (path, access) => {
      const found = await stat(path).catch((cause: unknown) => {
        throw deviceError(path, cause);
      });
      const sizeBytes = await sizeOf(path, found);
      if (sizeBytes === undefined) {
        throw new AppError('BLOCK_DEVICE_WRONG_KIND', `${path} is not a block device`, {
          nextStep: 'volumeMode Block needs a volumeDevice in the pod; check volumeMode of the volume and its claim.',
        });
      }
      const flags = access === 'read' ? constants.O_RDONLY : constants.O_RDWR;
      const handle = await open(path, flags).catch((cause: unknown) => {
        throw deviceError(path, cause);
      });
      return openDevice(handle, path, sizeBytes, fallocate);
    },
  };
}

function openDevice(handle: FileHandle, path: string, sizeBytes: number, fallocate: EngineProcess): BlockDevice {
  let closed: Promise<void> | undefined;
  return {
    path,
    sizeBytes,
    read: (into, offset) => readFully(handle, path, into, offset),
    write: (data, offset) => writeFully(handle, path, data, offset),
    punch: async (offset, length, signal) => {
      const isZeroed = await punchRange(fallocate, path, { offset, length }, signal);
      signal.throwIfAborted();
      return isZeroed;
    },
    flush: () =>
      handle.sync().catch((cause: unknown) => {
        throw deviceTransferError('flush', path, 0, cause);
      }),
    close: () => {
      closed ??= handle.close();
      return closed;
    },
  };
}

async function readFully(handle: FileHandle, path: string, into: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < into.length; ) {
    const at = offset + done;
    const { bytesRead } = await handle.read(into, done, into.length - done, at).catch((cause: unknown) => {
      throw deviceTransferError('read', path, at, cause);
    });
    if (bytesRead === 0) {
      throw new AppError('BLOCK_READ_FAILED', `block device ${path} ends at offset ${at}, before its size`, {
        retry: 'later',
      });
    }
    done += bytesRead;
  }
}

async function writeFully(handle: FileHandle, path: string, data: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const at = offset + done;
    const { bytesWritten } = await handle.write(data, done, data.length - done, at).catch((cause: unknown) => {
      throw deviceTransferError('write', path, at, cause);
    });
    done += bytesWritten;
  }
}

/**
 * A device node has no size of its own; the kernel reports it in sectors of 512 bytes, whatever the sector size of the device is.
 */
async function sizeOfDevice(path: string, found: Stats): Promise<number | undefined> {
  if (!found.isBlockDevice()) return undefined;
  const number = deviceNumber(found.rdev);
  const text = await readFile(`/sys/dev/block/${number}/size`, 'utf8').catch((cause: unknown) => {
    throw new AppError('BLOCK_DEVICE_NOT_FOUND', `the size of ${path} (device ${number}) cannot be read`, {
      cause,
      retry: 'later',
      nextStep: 'The device may have been detached; check the node and the storage of the volume.',
    });
  });
  return Number(text) * 512;
}

/** `7:3`, from the kernel's encoding of a device number for user space (glibc, gnu_dev_major and gnu_dev_minor). */
export function deviceNumber(rdev: number): string {
  const device = BigInt(rdev);
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n);
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? '';

function deviceError(path: string, cause: unknown): AppError {
  if (codeOf(cause) === 'ENOENT') {
    return new AppError('BLOCK_DEVICE_NOT_FOUND', `there is no block device at ${path}`, {
      cause,
      nextStep: 'Check the volumes and volumeDevices of this pod.',
    });
  }
  return new AppError('BLOCK_DEVICE_NOT_PERMITTED', `the block device ${path} cannot be opened: ${said(cause)}`, {
    cause,
    retry: 'later',
    nextStep: 'The pod has to run as root, and the volume must not be read-only for a restore.',
  });
}

const said = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
