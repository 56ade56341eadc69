import { InvalidArgumentError } from 'commander';

/** Parses a count of a flag. */
export function natural(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It has to be a whole number above 0.');
  return number;
}
