import { quoted } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import { badFlag } from './refuse-flag.ts';

/** The longest Go duration (64 bits of nanoseconds); Velero could not read a longer one. */
const durationMsMax = 9_223_372_036_854;

/** Parses a duration that may be zero and keeps it as the user wrote it. @throws AppError BAD_FLAG (cli.md section 10) */
export function parsePeriod(flag: string, text: string): string {
  const ms = parseDurationMs(text);
  if (ms === undefined) throw badFlag(`${flag} ${quoted(text)} is not a duration`, 'Write it as 90s, 10m or 1h30m.');
  if (ms < 0) throw badFlag(`${flag} must be non-negative`);
  if (ms > durationMsMax) throw badFlag(`${flag} ${quoted(text)} is longer than 292 years`);
  return ms === 0 ? '0s' : text;
}
