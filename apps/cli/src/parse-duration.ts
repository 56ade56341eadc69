import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';

/**
 * Parses a Go duration of a flag, such as `90s`, `1h30m`, into ms. Negative ones are refused. @throws AppError BAD_FLAG naming
 * the flag
 */
export function parseDuration(flag: string, text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms < 0)
    throw new AppError('BAD_FLAG', `${flag} "${text}" is not a duration`, {
      nextStep: 'Write it as 90s, 10m or 1h30m.',
    });
  return ms;
}
