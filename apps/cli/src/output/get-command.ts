import type { KubeObject } from '@lateen/api-types';
import { findObjects, type Noun, pluralOf, selectionToShow } from '@lateen/operations/noun';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, type FindCandidates } from '../completion/completion.ts';
import { examplesAs } from '../examples-as.ts';
import { type ListFlags, listPrinter, withListFlags } from './list-flags.ts';
import type { ResourceColumn } from './resource-table.ts';

export interface Listed<T extends KubeObject> {
  noun: Noun<T>;
  about: string;
  /** Words of the command lines as they are under the noun: `lateen backup get`. */
  examples: string;
  names: FindCandidates;
  /** @param nowMs since the epoch */
  columns(nowMs: number): readonly ResourceColumn<T>[];
  /** Their order when no names are given; absent: that of the API. */
  sort?(objects: readonly T[]): T[];
}

/** `lateen NOUN get [NAME…]` (cli.md section 8) */
export function getCommand<T extends KubeObject>(what: Listed<T>, context: CommandContext, name = 'get'): Command {
  const { noun, about, examples, names, columns, sort } = what;
  const command = new Command(name)
    .description(about)
    .addArgument(completedArgument('[name...]', 'names (default: all)', names))
    .option('-l, --selector <labels>', 'only those with these labels');
  return withListFlags(command)
    .addHelpText('after', examplesAs(examples, `${noun.word} get`, name))
    .action(async (named: string[], flags: ListFlags & { selector?: string }, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const print = listPrinter(columns(context.clock.now()), flags);
      const selection = selectionToShow(noun, { names: named, selector: flags.selector });
      const kube = await context.connect(global);
      const found = await findObjects(kube, noun, global.namespace, selection, context.signal);
      if (found.length === 0) context.stderr.write(`No ${pluralOf(noun)} found\n`);
      const shown = named.length === 0 && sort !== undefined ? sort(found) : found;
      context.stdout.write(print(shown, { asList: named.length !== 1 || shown.length !== 1 }));
    });
}
