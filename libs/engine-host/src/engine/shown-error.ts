import type { InstanceError } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';

/** An error in the form that is shown. For the end of a replica set, its cause is shown if it has one. */
export function shownError(error: unknown): InstanceError {
  if (!isAppError(error)) return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
  if (error.code === 'BLOCK_IO' && isAppError(error.cause)) return shownError(error.cause);
  const { code, message, nextStep } = error;
  return { code, message, ...(nextStep === undefined ? {} : { nextStep }) };
}
