import { findObjects, selectionToChange } from '@lateen/operations/noun';
import { scheduleNoun, setPaused } from '@lateen/operations/schedule';
import { Command } from 'commander';
import { eachOf } from '../agree-to-delete.ts';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { scheduleNames } from '../completion/object-names.ts';

interface Flags {
  all?: boolean;
  selector?: string;
  skipImmediately?: boolean;
}

const verbs = {
  pause: { about: 'Pause schedules: they make no backups until they are unpaused', done: 'paused' },
  unpause: { about: 'Unpause schedules: they make backups again', done: 'unpaused' },
} as const;

/** `lateen schedule pause|unpause [NAME…]` (cli.md section 5) */
export function schedulePauseCommand(context: CommandContext, verb: keyof typeof verbs): Command {
  const { about, done } = verbs[verb];
  const command = new Command(verb)
    .description(about)
    .addArgument(completedArgument('[name...]', 'names', scheduleNames))
    .option('-l, --selector <labels>', 'all schedules with these labels');
  withBooleanFlag(command, '--all', 'all schedules');
  if (verb === 'unpause') withBooleanFlag(command, '--skip-immediately', 'skip a backup that is due at once');
  return command
    .addHelpText('after', `\nExamples:\n  lateen schedule ${verb} nightly\n  lateen schedule ${verb} -l team=shop`)
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(scheduleNoun, { names, ...flags });
      const { signal, stdout } = context;
      const kube = await context.connect(global);
      const schedules = await findObjects(kube, scheduleNoun, global.namespace, selection, signal);
      if (schedules.length === 0) stdout.write('No schedules found\n');
      await eachOf(schedules, signal, async (schedule) => {
        const { name } = schedule.metadata;
        const wanted = { paused: verb === 'pause', skipImmediately: flags.skipImmediately };
        const isDone = await setPaused(kube, schedule, wanted, signal);
        stdout.write(
          isDone ? `Schedule ${name} ${done} successfully\n` : `Schedule ${name} is already ${done}, skip\n`,
        );
      });
    });
}
