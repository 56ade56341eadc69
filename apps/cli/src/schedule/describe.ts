import { findObjects, selectionToShow } from '@lateen/operations/noun';
import { scheduleNoun } from '@lateen/operations/schedule';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { scheduleNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';
import { describeSchedule } from './describe-schedule.ts';

const examples = `
Examples:
  lateen schedule describe nightly
  lateen schedule describe -l team=shop`;

/** `lateen schedule describe [NAME…]` (cli.md section 9) */
export function scheduleDescribeCommand(context: CommandContext, name = 'describe'): Command {
  return new Command(name)
    .description('Describe schedules: when they run, what their backups have in them, what is wrong')
    .addArgument(completedArgument('[name...]', 'names (default: all)', scheduleNames))
    .option('-l, --selector <labels>', 'only those with these labels')
    .addHelpText('after', examplesAs(examples, 'schedule describe', name))
    .action(async (names: string[], flags: { selector?: string }, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToShow(scheduleNoun, { names, selector: flags.selector });
      const kube = await context.connect(global);
      const found = await findObjects(kube, scheduleNoun, global.namespace, selection, context.signal);
      if (found.length === 0) context.stderr.write('No schedules found\n');
      const pages = found.map((schedule) => describeSchedule(schedule, context.clock.now()));
      context.stdout.write(pages.join('\n\n'));
    });
}
