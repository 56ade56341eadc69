import { isAppError } from '@lateen/errors';

/** The code with which a call fails; `none` when it succeeds. Rethrows errors that are not AppErrors. */
export async function errorCodeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}
