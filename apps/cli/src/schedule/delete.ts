import { findObjects, selectionToChange } from '@lateen/operations/noun';
import { deleteSchedule, scheduleNoun } from '@lateen/operations/schedule';
import { Command } from 'commander';
import { agreesToDelete, type DeleteFlags, eachOf, requireSomebodyToAsk, withDeleteFlags } from '../agree-to-delete.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { scheduleNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';

const examples = `
Examples:
  lateen schedule delete nightly
  lateen schedule delete nightly hourly --confirm
  lateen schedule delete -l team=shop --confirm
  lateen schedule delete --all`;

/** `lateen schedule delete [NAME…]` (cli.md section 6) */
export function scheduleDeleteCommand(context: CommandContext, name = 'delete'): Command {
  const command = new Command(name)
    .description('Delete schedules; their backups stay, unless they were made with owner references')
    .addArgument(completedArgument('[name...]', 'names', scheduleNames));
  return withDeleteFlags(command, 'schedules')
    .addHelpText('after', examplesAs(examples, 'schedule delete', name))
    .action(async (names: string[], flags: DeleteFlags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(scheduleNoun, { names, ...flags });
      requireSomebodyToAsk(context, flags);
      const { signal, stdout } = context;
      const kube = await context.connect(global);
      const schedules = await findObjects(kube, scheduleNoun, global.namespace, selection, signal);
      if (schedules.length === 0) {
        stdout.write('No schedules found\n');
        return;
      }
      const described = schedules.map(
        ({ metadata, spec }) =>
          `${metadata.name}; its backups ${spec.useOwnerReferencesInBackup === true ? 'go with it' : 'stay'}`,
      );
      if (!(await agreesToDelete(context, flags, () => described))) return;
      await eachOf(schedules, signal, async (schedule) => {
        await deleteSchedule(kube, schedule, signal);
        stdout.write(`Schedule deleted: ${schedule.metadata.name}\n`);
      });
    });
}
