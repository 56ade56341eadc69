import type { InstanceError } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';

/** An error as it is shown. What a replica set says of its end is told by its cause, where it has one. */
export function shownError(error: unknown): InstanceError {
  if (!isAppError(error)) return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
  if (error.code === 'BLOCK_IO' && isAppError(error.cause)) return shownError(error.cause);
  const { code, message, nextStep } = error;
  return { code, message, ...(nextStep === undefined ? {} : { nextStep }) };
}
