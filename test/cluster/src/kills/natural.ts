import { InvalidArgumentError } from 'commander';

/** How many, as a flag of the kill runs says it. */
export function natural(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It has to be a whole number above 0.');
  return number;
}
