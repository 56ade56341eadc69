import { AppError, type AppErrorOptions, type RetryFate } from '@lateen/errors';

/** The error codes of an instance manager, with the retry fate of each. */
const fates = {
  /** The instance manager does not answer. It is unknown whether the call was carried out. */
  HOST_UNREACHABLE: 'soon',
  /** Client and server have no version of the API in common. */
  API_VERSION: 'never',
  /** Another call works on the same replica, engine or front end. */
  ABORTED: 'soon',
  /** A field is missing or not valid. */
  INVALID_ARGUMENT: 'never',
  /** The folder of a replica does not exist: its disk is not mounted, or was lost. */
  REPLICA_GONE: 'later',
  /** The folder belongs to another volume or another replica. */
  REPLICA_FOREIGN: 'never',
  REPLICA_CORRUPT: 'never',
  /** The disk has another identity. */
  DISK_FOREIGN: 'never',
  /** The replica may lack writes that were acknowledged in this generation, or is in the middle of a rebuild. A rebuild repairs it. */
  REPLICA_LAGS: 'never',
  /** A newer generation has begun; the caller is out of date. */
  GENERATION_OVER: 'never',
  /** An engine of an older generation still runs here. */
  ENGINE_RUNNING: 'later',
  INSTANCE_RUNNING: 'later',
  INSTANCE_NOT_FOUND: 'never',
  SNAPSHOT_NOT_FOUND: 'never',
  /** Another snapshot has this name. */
  SNAPSHOT_EXISTS: 'never',
  /** This volume cannot have this size. */
  SIZE_REFUSED: 'never',
  NO_PORT: 'later',
  NO_ROOM: 'later',
  /** A condition is not met; the message says which. */
  NOT_POSSIBLE_NOW: 'later',
  /** This release cannot do it at all. */
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
