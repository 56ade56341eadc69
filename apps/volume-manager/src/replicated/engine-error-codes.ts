import type { BlockVolumeErrorCode } from '@lateen/block-engine';
import { AppError, isAppError } from '@lateen/errors';

/**
 * The status of CSI for each answer of a block engine. What may become true by itself is UNAVAILABLE: sidecars then ask again, and take
 * the outcome for unknown.
 */
const statuses: Readonly<Record<BlockVolumeErrorCode, string>> = {
  INVALID_ARGUMENT: 'INVALID_ARGUMENT',
  VOLUME_NOT_FOUND: 'NOT_FOUND',
  VOLUME_EXISTS: 'ALREADY_EXISTS',
  VOLUME_BUSY: 'FAILED_PRECONDITION',
  VOLUME_FAULTED: 'UNAVAILABLE',
  NO_ROOM: 'RESOURCE_EXHAUSTED',
  SNAPSHOT_NOT_FOUND: 'NOT_FOUND',
  SNAPSHOT_EXISTS: 'ALREADY_EXISTS',
  OUT_OF_RANGE: 'OUT_OF_RANGE',
  NOT_POSSIBLE_NOW: 'UNAVAILABLE',
  NOT_SUPPORTED: 'UNIMPLEMENTED',
};

/** Runs a call of an engine with its errors as CSI has them. */
export async function asCsi<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isAppError(error) || !Object.hasOwn(statuses, error.code)) throw error;
    const { message, nextStep, details, retry } = error;
    const next = nextStep === undefined ? {} : { nextStep };
    throw new AppError(statuses[error.code as BlockVolumeErrorCode], message, {
      cause: error,
      details,
      retry,
      ...next,
    });
  }
}
