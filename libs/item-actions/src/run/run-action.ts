import { AppError } from '@lateen/errors';

/**
 * Runs an action and gives its failures one form. @throws ITEM_ACTION_FAILED with its name and its error as cause; the signal's
 * reason
 */
export async function runAction<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('ITEM_ACTION_FAILED', `action ${name} failed`, { cause: error, details: { action: name } });
  }
}
