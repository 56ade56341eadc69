import { AppError } from '@lateen/errors';
import { type Command, Option } from 'commander';

const words: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  T: true,
  true: true,
  True: true,
  TRUE: true,
  '0': false,
  f: false,
  F: false,
  false: false,
  False: false,
  FALSE: false,
};

/**
 * Adds a flag that is true when it stands alone and takes a value only after `=`, as the reference's flags do
 * (`--default`, `--default=false`): the word behind it is an argument of its own. Absent: undefined.
 */
export function withBooleanFlag(command: Command, flag: `--${string}`, description: string): Command {
  const option = new Option(`${flag} [true|false]`, description).argParser((text: string) => {
    const value = Object.hasOwn(words, text) ? words[text] : undefined;
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
