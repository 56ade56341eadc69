import { AppError } from '@lateen/errors';

/** The error for a spec that cannot mean anything. */
export function locationInvalid(message: string, nextStep?: string): AppError {
  return new AppError('LOCATION_INVALID', message, nextStep === undefined ? {} : { nextStep });
}
