import type { Argument, Command, Option } from 'commander';
import { isSwitch } from './completion.ts';

/** Where the cursor is in a command line. */
export interface Position {
  command: Command;
  /** The word at the cursor. */
  at: Place;
  /** The arguments of the command before the cursor. */
  before: readonly string[];
  /** Flags and their values before the cursor; the last value of each. */
  values: ReadonlyMap<Option, string>;
}

export type Place =
  /** A flag's value. `head`: the part before it in the same word, such as `--output=`. */
  | { kind: 'value'; option: Option; head: string; prefix: string }
  | { kind: 'flag'; prefix: string }
  /** A sub-command or an argument. */
  | { kind: 'word'; prefix: string; argument: Argument | undefined }
  | { kind: 'nothing' };

interface Walk {
  command: Command;
  before: string[];
  values: Map<Option, string>;
  /** This flag takes the next word as its value. */
  waiting: Option | undefined;
  /** After `--`. */
  onlyArguments: boolean;
}

/** Parses a command line as commander would, up to its last word, which is the one at the cursor and may be empty. Pure. */
export function positionOf(program: Command, words: readonly string[]): Position {
  const walk: Walk = { command: program, before: [], values: new Map(), waiting: undefined, onlyArguments: false };
  for (const word of words.slice(0, -1)) pass(walk, word);
  return { command: walk.command, before: walk.before, values: walk.values, at: placeOf(walk, words.at(-1) ?? '') };
}

/** The flags of a command: its own, then those of the commands above it. */
export function* optionsOf(command: Command): Generator<Option> {
  for (let each: Command | null = command; each !== null; each = each.parent) yield* each.options;
}

function pass(walk: Walk, word: string): void {
  const { waiting } = walk;
  walk.waiting = undefined;
  if (waiting !== undefined && takes(waiting, word)) walk.values.set(waiting, word);
  else if (!walk.onlyArguments && word === '--') walk.onlyArguments = true;
  else if (!walk.onlyArguments && isFlag(word)) passFlag(walk, word);
  else passArgument(walk, word);
}

const isFlag = (word: string): boolean => word.startsWith('-') && word !== '-';
/** An optional value never looks like a flag. */
const takes = (option: Option, word: string): boolean => option.required || !word.startsWith('-');
const wantsNext = (option: Option): boolean => option.required || (option.optional && !isSwitch(option));

function passArgument(walk: Walk, word: string): void {
  const { command, before } = walk;
  const sub = before.length > 0 ? undefined : command.commands.find((each) => namesOf(each).includes(word));
  if (sub === undefined) before.push(word);
  else walk.command = sub;
}

const namesOf = (command: Command): string[] => [command.name(), ...command.aliases()];

function passFlag(walk: Walk, word: string): void {
  const read = readFlag(walk.command, word);
  if (read === undefined) return;
  if (read.value !== undefined) walk.values.set(read.option, read.value);
  else if (wantsNext(read.option)) walk.waiting = read.option;
}

/** The flag in a word (the last one in `-wo`), and its value when that is in the same word. Undefined for an unknown flag. */
function readFlag(command: Command, word: string): { option: Option; value?: string } | undefined {
  const named = (name: string) => [...optionsOf(command)].find(({ long, short }) => name === long || name === short);
  if (word.startsWith('--')) {
    const [, name = word, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    const option = named(name);
    return option && (value === undefined ? { option } : { option, value });
  }
  let option: Option | undefined;
  for (let at = 1; at < word.length; at++) {
    option = named(`-${word[at]}`);
    if (option === undefined) return undefined;
    const value = word.slice(at + 1);
    if ((option.required || option.optional) && value !== '') return { option, value };
  }
  return option && { option };
}

function placeOf({ command, before, waiting, onlyArguments }: Walk, word: string): Place {
  if (waiting !== undefined && takes(waiting, word)) return { kind: 'value', option: waiting, head: '', prefix: word };
  if (onlyArguments || !word.startsWith('-')) {
    const { registeredArguments } = command;
    const last = registeredArguments.at(-1);
    const argument = registeredArguments[before.length] ?? (last?.variadic === true ? last : undefined);
    return { kind: 'word', prefix: word, argument };
  }
  const read = readFlag(command, word);
  if (read?.value !== undefined) {
    const head = word.slice(0, word.length - read.value.length);
    return { kind: 'value', option: read.option, head, prefix: read.value };
  }
  return word.includes('=') ? { kind: 'nothing' } : { kind: 'flag', prefix: word };
}
