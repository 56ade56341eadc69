import { AppError, type AppErrorOptions, type RetryFate } from '@lateen/errors';

/** What a block engine may answer about a volume, and what its caller may do about it. */
const fates = {
  /** A name or a parameter that cannot be. */
  INVALID_ARGUMENT: 'never',
  VOLUME_NOT_FOUND: 'never',
  /** The name is taken by a volume with another size or source. */
  VOLUME_EXISTS: 'never',
  /** Somebody else has it just now: another node, another call, an open reader. */
  VOLUME_BUSY: 'soon',
  /** No copy of its data can be used. */
  VOLUME_FAULTED: 'later',
  NO_ROOM: 'later',
  SNAPSHOT_NOT_FOUND: 'never',
  /** The name is taken by a snapshot of another volume. */
  SNAPSHOT_EXISTS: 'never',
  /** A size or an offset that no volume has, or a volume that would have to shrink. */
  OUT_OF_RANGE: 'never',
  /** A condition is not met; the message says which. */
  NOT_POSSIBLE_NOW: 'later',
  /** This engine never can. */
  NOT_SUPPORTED: 'never',
} as const satisfies Record<string, RetryFate>;

export type BlockVolumeErrorCode = keyof typeof fates;
export const blockVolumeErrorCodes = Object.keys(fates) as readonly BlockVolumeErrorCode[];

/** An AppError with one of {@link blockVolumeErrorCodes} and its retry fate. Give it a next step. */
export function blockVolumeError(
  code: BlockVolumeErrorCode,
  message: string,
  options: Omit<AppErrorOptions, 'retry'> = {},
): AppError {
  return new AppError(code, message, { ...options, retry: fates[code] });
}
