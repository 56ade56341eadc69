import type { KubeObject } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { findObjects, type Noun, pluralOf, selectionToShow } from '@lateen/operations/noun';
import { Command, type Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, type FindCandidates } from '../completion/completion.ts';
import { examplesAs } from '../examples-as.ts';
import { type ListFlags, listPrinter, withListFlags } from './list-flags.ts';
import type { ResourceColumn } from './resource-table.ts';

export interface Listed<T extends KubeObject> {
  noun: Noun<T>;
  about: string;
  /** Example command lines in the form with the noun first: `lateen backup get`. */
  examples: string;
  names: FindCandidates;
  /** @param nowMs since the epoch */
  columns(nowMs: number): readonly ResourceColumn<T>[];
  /** The order when no names are given; absent: the order of the API. */
  sort?(objects: readonly T[]): T[];
  /** Connects; absent: to Lateen's namespace. */
  open?: OpenNamespace;
  /** Flags that filter the list. */
  only?: readonly Only<T>[];
}

/** Connects to the namespace of a command's objects. */
export type OpenNamespace = (context: CommandContext, self: Command) => Promise<{ kube: KubeApi; namespace: string }>;

/** A flag with a value that objects must match. */
export interface Only<T extends KubeObject> {
  option: Option;
  keeps(object: T, value: string): boolean;
}

const openLateen: OpenNamespace = async (context, self) => {
  const global = self.optsWithGlobals<GlobalOptions>();
  return { kube: await context.connect(global), namespace: global.namespace };
};

/** `lateen NOUN get [NAME…]` (cli.md section 8) */
export function getCommand<T extends KubeObject>(what: Listed<T>, context: CommandContext, name = 'get'): Command {
  const { noun, about, examples, names, columns, sort, open = openLateen, only = [] } = what;
  const command = new Command(name)
    .description(about)
    .addArgument(completedArgument('[name...]', 'names (default: all)', names))
    .option('-l, --selector <labels>', 'only those with these labels');
  for (const { option } of only) command.addOption(option);
  return withListFlags(command)
    .addHelpText('after', examplesAs(examples, `${noun.word} get`, name))
    .action(async (named: string[], flags: ListFlags & { selector?: string }, self: Command) => {
      const print = listPrinter(columns(context.clock.now()), flags);
      const selection = selectionToShow(noun, { names: named, selector: flags.selector });
      const { kube, namespace } = await open(context, self);
      const all = await findObjects(kube, noun, namespace, selection, context.signal);
      const found = all.filter((object) => isLetThrough(object, only, self));
      if (found.length === 0) context.stderr.write(`No ${pluralOf(noun)} found\n`);
      const shown = named.length === 0 && sort !== undefined ? sort(found) : found;
      context.stdout.write(print(shown, { asList: named.length !== 1 || shown.length !== 1 }));
    });
}

function isLetThrough<T extends KubeObject>(object: T, only: readonly Only<T>[], self: Command): boolean {
  return only.every(({ option, keeps }) => {
    const value: unknown = self.getOptionValue(option.attributeName());
    return typeof value !== 'string' || keeps(object, value);
  });
}
