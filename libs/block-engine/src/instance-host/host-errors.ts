import { AppError, type AppErrorOptions, type RetryFate } from '@lateen/errors';

/** What an instance manager may answer, and what its caller may do about it. */
const fates = {
  /** The instance manager does not answer. Whether the call was carried out is not known. */
  HOST_UNREACHABLE: 'soon',
  /** The two have no version of the API in common. */
  API_VERSION: 'never',
  /** Another call works on the same replica, engine or front end. */
  ABORTED: 'soon',
  /** A field that is missing or cannot be. */
  INVALID_ARGUMENT: 'never',
  /** The folder of a replica is not there: its disk is not mounted, or was lost. */
  REPLICA_GONE: 'later',
  /** The folder belongs to another volume or another replica. */
  REPLICA_FOREIGN: 'never',
  REPLICA_CORRUPT: 'never',
  /** The disk has another identity. */
  DISK_FOREIGN: 'never',
  /** It may lack writes that this generation was answered, or is in the middle of a rebuild. A rebuild brings it back. */
  REPLICA_LAGS: 'never',
  /** A newer generation has begun; whoever asked is out of date. */
  GENERATION_OVER: 'never',
  /** An engine of an older generation still runs here. */
  ENGINE_RUNNING: 'later',
  INSTANCE_RUNNING: 'later',
  INSTANCE_NOT_FOUND: 'never',
  SNAPSHOT_NOT_FOUND: 'never',
  /** Another snapshot of this name. */
  SNAPSHOT_EXISTS: 'never',
  /** No size that this volume can have. */
  SIZE_REFUSED: 'never',
  NO_PORT: 'later',
  NO_ROOM: 'later',
  /** A condition is not met; the message says which. */
  NOT_POSSIBLE_NOW: 'later',
  /** This release never can. */
  NOT_SUPPORTED: 'never',
} as const satisfies Record<string, RetryFate>;

export type HostErrorCode = keyof typeof fates;
export const hostErrorCodes = Object.keys(fates) as readonly HostErrorCode[];

/** An AppError with one of {@link hostErrorCodes} and its retry fate. */
export function hostError(
  code: HostErrorCode,
  message: string,
  options: Omit<AppErrorOptions, 'retry'> = {},
): AppError {
  return new AppError(code, message, { ...options, retry: fates[code] });
}
