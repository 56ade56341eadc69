import { AppError } from '@lateen/errors';

/** The error of a flag that cannot be taken as it is. */
export function badFlag(message: string, nextStep?: string): AppError {
  return new AppError('BAD_FLAG', message, nextStep === undefined ? {} : { nextStep });
}

/** Characters that no name, path or setting has: a terminal would obey them, or nobody could see them. */
export const hasControls = (text: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
