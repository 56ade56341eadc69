import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';

/** In ms; may be negative. @throws USAGE for text that is no duration */
export function anyDurationMs(flag: string, text: string, example: string): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined) return ms;
  throw new AppError('USAGE', `${flag} "${text}" is not a duration such as ${example}`);
}

/** In ms. @throws USAGE for text that is no duration, or is negative */
export function durationMs(flag: string, text: string, example: string): number {
  const ms = anyDurationMs(flag, text, example);
  if (ms >= 0) return ms;
  throw new AppError('USAGE', `${flag} "${text}" is negative`);
}

/** @throws USAGE */
export function wholeNumber(flag: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new AppError('USAGE', `${flag} "${text}" is not a whole number from ${min} to ${max}`);
}
