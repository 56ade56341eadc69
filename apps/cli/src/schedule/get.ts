import { findObjects, selectionToShow } from '@lateen/operations/noun';
import { scheduleNoun } from '@lateen/operations/schedule';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { scheduleNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { scheduleColumns } from './schedule-columns.ts';

type Flags = ListFlags & { selector?: string };

const examples = `
Examples:
  lateen schedule get
  lateen schedule get nightly -o yaml
  lateen schedule get -l team=shop -o wide`;

/** `lateen schedule get [NAME…]` (cli.md section 8) */
export function scheduleGetCommand(context: CommandContext, name = 'get'): Command {
  const command = new Command(name)
    .description('List schedules, with their last backup; with -o wide also the next one')
    .addArgument(completedArgument('[name...]', 'names (default: all)', scheduleNames))
    .option('-l, --selector <labels>', 'only those with these labels');
  return withListFlags(command)
    .addHelpText('after', examplesAs(examples, 'schedule get', name))
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const print = listPrinter(scheduleColumns(context.clock.now()), flags);
      const selection = selectionToShow(scheduleNoun, { names, selector: flags.selector });
      const kube = await context.connect(global);
      const found = await findObjects(kube, scheduleNoun, global.namespace, selection, context.signal);
      if (found.length === 0) context.stderr.write('No schedules found\n');
      context.stdout.write(print(found, { asList: names.length !== 1 || found.length !== 1 }));
    });
}
