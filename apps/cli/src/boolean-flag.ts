import { AppError } from '@lateen/errors';
import { parseBoolean } from '@lateen/kernel';
import { type Command, Option } from 'commander';

/**
 * Adds a flag that is true when it stands alone and takes a value only after `=`, as the reference's flags do
 * (`--default`, `--default=false`): the word behind it is an argument of its own. Absent: undefined.
 */
export function withBooleanFlag(command: Command, flag: `--${string}`, description: string): Command {
  const option = new Option(`${flag} [true|false]`, description).argParser((text: string) => {
    const value = parseBoolean(text);
    if (value === undefined) throw new AppError('BAD_FLAG', `${flag} "${text}" is not true or false`);
    return value;
  });
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => parse(withValue(args, flag));
  return command.addOption(option);
}

function withValue(args: readonly string[], flag: string): string[] {
  const end = args.indexOf('--');
  return args.map((arg, at) => (arg === flag && (end < 0 || at < end) ? `${flag}=true` : arg));
}
