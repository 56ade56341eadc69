import type { BlockVolumeErrorCode } from '@lateen/block-engine';
import { AppError, isAppError } from '@lateen/errors';

/**
 * The CSI status for each error code of a block engine. Conditions that may resolve by themselves are UNAVAILABLE: sidecars then retry, and treat the
 * outcome as unknown.
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

/** Runs a call of an engine and converts its errors to CSI errors. */
export async function asCsi<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw csiError(error);
  }
}

/** An error of an engine as a CSI error; other errors stay as they are. `instead`: statuses that a service replaces. */
export function csiError(
  error: unknown,
  instead: Readonly<Partial<Record<BlockVolumeErrorCode, string>>> = {},
): unknown {
  if (!isAppError(error) || !Object.hasOwn(statuses, error.code)) return error;
  const { message, nextStep, details, retry } = error;
  const code = error.code as BlockVolumeErrorCode;
  const next = nextStep === undefined ? {} : { nextStep };
  return new AppError(instead[code] ?? statuses[code], message, { cause: error, details, retry, ...next });
}
