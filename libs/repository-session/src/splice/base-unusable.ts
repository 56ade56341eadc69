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
  differs: 'base snapshot differs from the volume',
} as const;

export type BaseReason = (typeof baseReasons)[keyof typeof baseReasons];

export const baseUnusableCode = 'BASE_SNAPSHOT_UNUSABLE';

/** `details.reason` is one of {@link baseReasons}. The caller then reads the whole volume. */
export function baseUnusable(reason: BaseReason, more?: string, cause?: unknown): AppError {
  return new AppError(baseUnusableCode, more === undefined ? reason : `${reason}: ${more}`, {
    cause,
    details: { reason },
    nextStep: 'Nothing has to be done: the whole volume is read instead.',
  });
}

/** A verification has read an unchanged chunk that is stored with other bytes; `details.offset` is where it begins. */
export function baseDiffers(offset: number): AppError {
  const reason = baseReasons.differs;
  return new AppError(baseUnusableCode, `${reason}: bytes from offset ${offset} on`, {
    details: { reason, offset },
    nextStep:
      'The whole volume is read instead. Earlier snapshots of this volume may miss changes, too: ' +
      'check the CSI driver, whose list of changed blocks may be incomplete.',
  });
}
