import { AppError } from '@lateen/errors';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const partPattern = /(\d+(?:\.\d+)?)(ms|s|m|h)/y;

/** Reads a Go duration such as `90s`, `1h30m`. Negative and empty ones are refused. @throws AppError BAD_FLAG */
export function parseDuration(flag: string, text: string): number {
  let total = 0;
  let at = 0;
  while (at < text.length) {
    partPattern.lastIndex = at;
    const found = partPattern.exec(text);
    if (found === null) break;
    total += Number(found[1]) * (unitMs[found[2] ?? ''] ?? 0);
    at = partPattern.lastIndex;
  }
  if (text === '' || at < text.length)
    throw new AppError('BAD_FLAG', `${flag} "${text}" is not a duration`, {
      nextStep: 'Write it as 90s, 10m or 1h30m.',
    });
  return total;
}
