import { quoted } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import { badFlag } from './refuse-flag.ts';

/** What a Go duration (64 bits of nanoseconds) can hold; Velero could not read more. */
const durationMsMax = 9_223_372_036_854;

/** Reads a duration that may be zero and stores it as it was written. @throws AppError BAD_FLAG (cli.md section 10) */
export function parsePeriod(flag: string, text: string): string {
  const ms = parseDurationMs(text);
  if (ms === undefined) throw badFlag(`${flag} ${quoted(text)} is not a duration`, 'Write it as 90s, 10m or 1h30m.');
  if (ms < 0) throw badFlag(`${flag} must be non-negative`);
  if (ms > durationMsMax) throw badFlag(`${flag} ${quoted(text)} is longer than 292 years`);
  return ms === 0 ? '0s' : text;
}
