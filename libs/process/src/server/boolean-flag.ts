import { AppError } from '@lateen/errors';
import { parseBoolean } from '@lateen/kernel';
import { Option } from 'commander';

/** With or without a value, as Go's flags. */
export function booleanFlag(flag: string, what: string, usually = false): Option {
  const parse = (text: string): boolean => booleanValue(flag, text);
  return new Option(`${flag} [true|false]`, what).argParser(parse).preset('true').default(usually);
}

/** As Go reads it. @throws USAGE */
function booleanValue(flag: string, text: string): boolean {
  const value = parseBoolean(text);
  if (value !== undefined) return value;
  throw new AppError('USAGE', `${flag} "${text}" is neither true nor false`);
}
