import { AppError } from '@lateen/errors';

/** The error for a flag value that is refused. */
export function badFlag(message: string, nextStep?: string): AppError {
  return new AppError('BAD_FLAG', message, nextStep === undefined ? {} : { nextStep });
}

/** Characters that no name, path or setting has: a terminal would interpret them, or they are invisible. */
export const hasControls = (text: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
