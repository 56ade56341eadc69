import { isAppError } from '@lateen/errors';

/** The code that a call fails with; `none` when it succeeds. Rethrows what is not an AppError. */
export async function errorCodeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}
