import { AppError } from '@lateen/errors';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { parseTableFormat, printObjects } from '../output/print-object.ts';
import { findRepositories } from '../repo/find-repositories.ts';
import { repositoryTable } from '../repo/repository-table.ts';

interface Flags {
  output: string;
  selector?: string;
}

const examples = `
Examples:
  lateen repo get
  lateen repo get shop-default-kopia -o wide
  lateen repo get -l velero.io/storage-location=offsite -o yaml`;

/** `lateen repo get [NAME…]` */
export function repoGetCommand(context: CommandContext): Command {
  return new Command('get')
    .description('List backup repositories, with their state and when they were last maintained')
    .argument('[name...]', 'names (default: all)')
    .option('-o, --output <format>', 'table, wide, json, yaml or name', 'table')
    .option('-l, --selector <labels>', 'only those with these labels')
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseTableFormat(flags.output);
      if (names.length > 0 && flags.selector !== undefined)
        throw new AppError('BAD_FLAG', 'which repositories is said twice', {
          nextStep: 'Give names or --selector, not both.',
        });
      const kube = await context.connect(global);
      const selection = { names, labelSelector: flags.selector };
      const found = await findRepositories(kube, global.namespace, selection, context.signal);
      context.stdout.write(
        format === 'table' || format === 'wide'
          ? `${repositoryTable(found, format === 'wide').join('\n')}\n`
          : printObjects(found, format, names.length !== 1),
      );
    });
}
