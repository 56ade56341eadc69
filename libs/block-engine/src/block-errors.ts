import { AppError, isAppError } from '@lateen/errors';

/** The errors that a block device may answer, by their errno names. NBD has no others. */
export const blockErrnos = ['EPERM', 'EIO', 'ENOMEM', 'EINVAL', 'ENOSPC', 'EOVERFLOW', 'ENOTSUP', 'ESHUTDOWN'] as const;
export type BlockErrno = (typeof blockErrnos)[number];

/** A device that this process serves cannot do what was requested. Code `BLOCK_IO`; `details.errno` is what the client receives. */
export function blockIoError(errno: BlockErrno, message: string, cause?: unknown): AppError {
  return new AppError('BLOCK_IO', message, { cause, details: { errno } });
}

/** The connection to a replica has ended, or cannot be made. Code `LINK_LOST`. It is unknown whether pending requests have been carried out. */
export function linkLost(message: string, cause?: unknown): AppError {
  return new AppError('LINK_LOST', message, { cause });
}

/** The replica answers but does not serve this export: another generation has begun, or the replica is not open. Code `LINK_REFUSED`. */
export function linkRefused(message: string, cause?: unknown): AppError {
  return new AppError('LINK_REFUSED', message, { cause });
}

/** The replica has answered the request with an error. Code `REPLICA_IO`, with `details.errno`. The link continues. */
export function replicaIoError(errno: BlockErrno, message: string): AppError {
  return new AppError('REPLICA_IO', message, { details: { errno } });
}

/** The request lies outside of the device or is too large. Code `BLOCK_RANGE`: nothing was sent, and the replica has not failed. */
export function blockRangeError(message: string): AppError {
  return new AppError('BLOCK_RANGE', message, { details: { errno: 'EINVAL' satisfies BlockErrno } });
}

/** The errno with which a device answers this error: its own errno if it has one, else `EIO`. */
export function errnoOf(error: unknown): BlockErrno {
  if (!isAppError(error)) return 'EIO';
  const { errno } = error.details;
  return blockErrnos.find((known) => known === errno) ?? 'EIO';
}
