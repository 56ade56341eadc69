import { AppError, isAppError } from '@lateen/errors';

/** What a block device may answer instead of success, by the names of errno. These are all that NBD knows. */
export const blockErrnos = ['EPERM', 'EIO', 'ENOMEM', 'EINVAL', 'ENOSPC', 'EOVERFLOW', 'ENOTSUP', 'ESHUTDOWN'] as const;
export type BlockErrno = (typeof blockErrnos)[number];

/**
 * A device that this process serves cannot do what was asked.
 * Code `BLOCK_IO`, with `details.errno`: that is what the other side is told.
 */
export function blockIoError(errno: BlockErrno, message: string, cause?: unknown): AppError {
  return new AppError('BLOCK_IO', message, { cause, details: { errno } });
}

/**
 * The connection to a replica has ended, or cannot be made. Code `LINK_LOST`. Whether requests that were under way have
 * been carried out is not known.
 */
export function linkLost(message: string, cause?: unknown): AppError {
  return new AppError('LINK_LOST', message, { cause });
}

/**
 * The replica answers and does not serve this export: another generation has begun, or the replica is not open.
 * Code `LINK_REFUSED`.
 */
export function linkRefused(message: string, cause?: unknown): AppError {
  return new AppError('LINK_REFUSED', message, { cause });
}

/** The replica has carried out the request with an error. Code `REPLICA_IO`, with `details.errno`. The link continues. */
export function replicaIoError(errno: BlockErrno, message: string): AppError {
  return new AppError('REPLICA_IO', message, { details: { errno } });
}

/**
 * The caller has asked for what lies outside of the device or is too large for one request. Code `BLOCK_RANGE`: nothing was
 * sent, and it is no failure of the replica.
 */
export function blockRangeError(message: string): AppError {
  return new AppError('BLOCK_RANGE', message, { details: { errno: 'EINVAL' satisfies BlockErrno } });
}

/** What an error means to whoever asked a device: its errno where it has one, else `EIO`. */
export function errnoOf(error: unknown): BlockErrno {
  if (!isAppError(error)) return 'EIO';
  const { errno } = error.details;
  return blockErrnos.find((known) => known === errno) ?? 'EIO';
}
