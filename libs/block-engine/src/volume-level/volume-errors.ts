import { AppError, type AppErrorOptions, type RetryFate } from '@lateen/errors';

/** The error codes of a block engine about a volume, with the retry fate of each. */
const fates = {
  /** A name or a parameter is not valid. */
  INVALID_ARGUMENT: 'never',
  VOLUME_NOT_FOUND: 'never',
  /** A volume with another size or source has this name. */
  VOLUME_EXISTS: 'never',
  /** In use right now: by another node, another call, or an open reader. */
  VOLUME_BUSY: 'soon',
  /** No copy of the volume's data can be used. */
  VOLUME_FAULTED: 'later',
  NO_ROOM: 'later',
  SNAPSHOT_NOT_FOUND: 'never',
  /** A snapshot of another volume has this name. */
  SNAPSHOT_EXISTS: 'never',
  /** A size or an offset is outside of the allowed range, or the volume would have to shrink. */
  OUT_OF_RANGE: 'never',
  /** A condition is not met; the message says which. */
  NOT_POSSIBLE_NOW: 'later',
  /** This engine cannot do it at all. */
  NOT_SUPPORTED: 'never',
} as const satisfies Record<string, RetryFate>;

export type BlockVolumeErrorCode = keyof typeof fates;
export const blockVolumeErrorCodes = Object.keys(fates) as readonly BlockVolumeErrorCode[];

/** An AppError with one of {@link blockVolumeErrorCodes} and its retry fate. The caller adds a next step. */
export function blockVolumeError(
  code: BlockVolumeErrorCode,
  message: string,
  options: Omit<AppErrorOptions, 'retry'> = {},
): AppError {
  return new AppError(code, message, { ...options, retry: fates[code] });
}
