import { findObjects, selectionToShow } from '@lateen/operations/noun';
import { snapshotLocationNoun } from '@lateen/operations/snapshot-location';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { snapshotLocationNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { snapshotLocationColumns } from './snapshot-location-columns.ts';

type Flags = ListFlags & { selector?: string };

const examples = `
Examples:
  lateen snapshot-location get
  lateen snapshot-location get ebs -o yaml`;

/** `lateen snapshot-location get [NAME…]` (cli.md section 8) */
export function snapshotLocationGetCommand(context: CommandContext, name = 'get'): Command {
  const command = new Command(name)
    .description('List volume snapshot locations')
    .addArgument(completedArgument('[name...]', 'names (default: all)', snapshotLocationNames))
    .option('-l, --selector <labels>', 'only those with these labels');
  return withListFlags(command)
    .addHelpText('after', examplesAs(examples, 'snapshot-location get', name))
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const print = listPrinter(snapshotLocationColumns, flags);
      const selection = selectionToShow(snapshotLocationNoun, { names, selector: flags.selector });
      const kube = await context.connect(global);
      const found = await findObjects(kube, snapshotLocationNoun, global.namespace, selection, context.signal);
      if (found.length === 0) context.stderr.write('No snapshot-locations found\n');
      context.stdout.write(print(found, { asList: names.length !== 1 || found.length !== 1 }));
    });
}
