import { AppError } from '@lateen/errors';
import { parseBoolean } from '@lateen/kernel';
import { type Command, Option } from 'commander';
import { parsePeriod } from './parse-period.ts';

/** `--wait`, or with its short form `-w, --wait`. */
type Flag = `--${string}` | `-${string}, --${string}`;

/**
 * Adds a flag that is true without a value and takes a value only after `=`, like the flags of velero (`--default`,
 * `--default=false`): the next word is a separate argument. Absent: undefined.
 */
export function withBooleanFlag(command: Command, flag: Flag, description: string): Command {
  return withSwitch(command, new Option(`${flag} [true|false]`, description), parsedBoolean);
}

/** Adds such a flag that also takes a duration: the longest time to wait. */
export function withBooleanOrDurationFlag(command: Command, flag: Flag, description: string): Command {
  return withSwitch(command, new Option(`${flag} [true|false|duration]`, description), (long, text) => {
    const value = parseBoolean(text) ?? parsePeriod(long, text);
    if (value === '0s') throw new AppError('BAD_FLAG', `${long} must be longer than 0s`);
    return value;
  });
}

function withSwitch(command: Command, option: Option, read: (long: string, text: string) => boolean | string): Command {
  const long = option.long ?? option.flags;
  option.argParser((text: string) => read(long, text));
  const names = [long, option.short];
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => parse(withValue(args, names, `${long}=true`));
  return command.addOption(option);
}

function withValue(args: readonly string[], names: readonly (string | undefined)[], full: string): string[] {
  const end = args.indexOf('--');
  return args.map((arg, at) => (names.includes(arg) && (end < 0 || at < end) ? full : arg));
}

/**
 * Accepts `--flag=true` and `--flag=false` for flags without a value, as all boolean flags of velero do: false equals leaving the
 * flag out.
 */
export function acceptBooleanValues(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const end = args.indexOf('--');
    const flags = end < 0 ? args : args.slice(0, end);
    return parse([...flags.flatMap((arg) => plainFlag(command, arg)), ...(end < 0 ? [] : args.slice(end))]);
  };
}

function plainFlag(command: Command, arg: string): string[] {
  const [, name, text = ''] = /^(--?[a-zA-Z][^=]*)=(.*)$/s.exec(arg) ?? [];
  const isPlain = command.options.some(
    ({ long, short, required, optional }) =>
      !required && !optional && name !== undefined && [long, short].includes(name),
  );
  if (name === undefined || !isPlain) return [arg];
  return parsedBoolean(name, text) ? [name] : [];
}

/** @throws AppError BAD_FLAG */
function parsedBoolean(flag: string, text: string): boolean {
  const value = parseBoolean(text);
  if (value === undefined) throw new AppError('BAD_FLAG', `${flag} "${text}" is not true or false`);
  return value;
}
