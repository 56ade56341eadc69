import { findRepositories, repositorySelection } from '@lateen/operations/repository';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { repositoryColumns } from './repository-columns.ts';

type Flags = ListFlags & { selector?: string };

const examples = `
Examples:
  lateen repo get
  lateen repo get shop-default-kopia -o wide
  lateen repo get -L velero.io/volume-namespace
  lateen repo get -l velero.io/storage-location=offsite -o yaml`;

/** `lateen repo get [NAME…]` */
export function repoGetCommand(context: CommandContext): Command {
  const command = new Command('get')
    .description('List backup repositories, with their state and when they were last maintained')
    .addArgument(completedArgument('[name...]', 'names (default: all)', repositoryNames))
    .option('-l, --selector <labels>', 'only those with these labels');
  return withListFlags(command)
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const print = listPrinter(repositoryColumns, flags);
      const selection = repositorySelection(names, flags);
      const kube = await context.connect(global);
      const found = await findRepositories(kube, global.namespace, selection, context.signal);
      if (found.length === 0) context.stderr.write('There are no backup repositories.\n');
      context.stdout.write(print(found, { asList: names.length !== 1 }));
    });
}
