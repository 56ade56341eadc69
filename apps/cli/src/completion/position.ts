import type { Argument, Command, Option } from 'commander';
import { isSwitch } from './completion.ts';

/** Where the cursor is in a command line. */
export interface Position {
  command: Command;
  /** What is being typed. */
  at: Place;
  /** The arguments of the command that stand before it. */
  before: readonly string[];
  /** Flags with their values that stand before it; the last one of each. */
  values: ReadonlyMap<Option, string>;
}

export type Place =
  /** A flag's value. `head`: what stands before it in the same word, as `--output=`. */
  | { kind: 'value'; option: Option; head: string; prefix: string }
  | { kind: 'flag'; prefix: string }
  /** A sub-command or an argument. */
  | { kind: 'word'; prefix: string; argument: Argument | undefined }
  | { kind: 'nothing' };

interface Walk {
  command: Command;
  before: string[];
  values: Map<Option, string>;
  /** Takes the next word as its value. */
  waiting: Option | undefined;
  /** Behind `--`. */
  onlyArguments: boolean;
}

/** Reads a command line as commander would, as far as the last word, which is the one being typed and may be empty. Pure. */
export function positionOf(program: Command, words: readonly string[]): Position {
  const walk: Walk = { command: program, before: [], values: new Map(), waiting: undefined, onlyArguments: false };
  for (const word of words.slice(0, -1)) pass(walk, word);
  return { command: walk.command, before: walk.before, values: walk.values, at: placeOf(walk, words.at(-1) ?? '') };
}

/** The flags that a command knows: its own, then those of the commands above it. */
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
/** A value that a flag can do without is never something that looks like a flag. */
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

/** The flag in a word (the last one in `-wo`), and its value when it is in the same word. Undefined for one that is not known. */
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
