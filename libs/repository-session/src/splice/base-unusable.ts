import { AppError } from '@lateen/errors';

/** Why a snapshot cannot be made of another one and what has changed since. Texts for status and log. */
export const baseReasons = {
  gone: 'base snapshot gone',
  incomplete: 'base snapshot incomplete',
  otherVolume: 'base snapshot is of another volume',
  otherSize: 'volume has another size than its base snapshot',
  otherSplitter: 'base snapshot is cut in another way',
  tooLarge: 'volume has too many chunks',
  ranges: 'list of changed ranges is not valid',
  damaged: 'base snapshot cannot be read',
} as const;

export type BaseReason = (typeof baseReasons)[keyof typeof baseReasons];

export const baseUnusableCode = 'BASE_SNAPSHOT_UNUSABLE';

/** `details.reason` is one of {@link baseReasons}. Whoever gets it reads the whole volume. */
export function baseUnusable(reason: BaseReason, more?: string, cause?: unknown): AppError {
  return new AppError(baseUnusableCode, more === undefined ? reason : `${reason}: ${more}`, {
    cause,
    details: { reason },
    nextStep: 'Nothing has to be done: the whole volume is read instead.',
  });
}
