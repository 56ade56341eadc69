import { AppError } from '@lateen/errors';

/** What was tried with a device; `flush` is writing what was buffered for it. */
export type DeviceTransfer = 'read' | 'write' | 'flush';

const doing = {
  read: (path: string, offset: number) => `reading block device ${path} failed at offset ${offset}`,
  write: (path: string, offset: number) => `writing block device ${path} failed at offset ${offset}`,
  flush: (path: string) => `writing what was buffered for block device ${path} failed`,
} as const satisfies Record<DeviceTransfer, (path: string, offset: number) => string>;

/** BLOCK_READ_FAILED or BLOCK_WRITE_FAILED, naming device and offset. */
export function deviceTransferError(transfer: DeviceTransfer, path: string, offset: number, cause: unknown): AppError {
  const said = cause instanceof Error ? cause.message : String(cause);
  const code = transfer === 'read' ? 'BLOCK_READ_FAILED' : 'BLOCK_WRITE_FAILED';
  return new AppError(code, `${doing[transfer](path, offset)}: ${said}`, {
    cause,
    retry: 'later',
    nextStep: 'Check the storage of the volume; the kernel log of the node names the device and the sector.',
  });
}
