import { badFlag } from './refuse-flag.ts';

/** A share in percent, from 1 to 100, with or without the sign. @throws AppError BAD_FLAG */
export function parsePercent(flag: string, given: string): number {
  const percent = /^\d{1,3}%?$/.test(given) ? Number.parseInt(given, 10) : 0;
  if (percent >= 1 && percent <= 100) return percent;
  throw badFlag(
    `${flag} ${JSON.stringify(given)} is not a percentage`,
    `Write a whole number from 1 to 100, as in ${flag}=10.`,
  );
}
