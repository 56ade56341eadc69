import { backupNoun, sortBackups } from '@lateen/operations/backup';
import { findObjects, selectionToShow } from '@lateen/operations/noun';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { backupNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { backupColumns } from './backup-columns.ts';

type Flags = ListFlags & { selector?: string };

const examples = `
Examples:
  lateen backup get
  lateen backup get nightly-20260101020000 -o yaml
  lateen backup get -l velero.io/schedule-name=nightly -o wide
  lateen backup get -o name --show-labels`;

/** `lateen backup get [NAME…]` (cli.md section 8) */
export function backupGetCommand(context: CommandContext, name = 'get'): Command {
  const command = new Command(name)
    .description('List backups, with their state and when they expire')
    .addArgument(completedArgument('[name...]', 'names (default: all)', backupNames))
    .option('-l, --selector <labels>', 'only those with these labels');
  return withListFlags(command)
    .addHelpText('after', examplesAs(examples, 'backup get', name))
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const print = listPrinter(backupColumns(context.clock.now()), flags);
      const selection = selectionToShow(backupNoun, { names, selector: flags.selector });
      const kube = await context.connect(global);
      const found = await findObjects(kube, backupNoun, global.namespace, selection, context.signal);
      if (found.length === 0) context.stderr.write('No backups found\n');
      const shown = names.length === 0 ? sortBackups(found) : found;
      context.stdout.write(print(shown, { asList: names.length !== 1 || shown.length !== 1 }));
    });
}
