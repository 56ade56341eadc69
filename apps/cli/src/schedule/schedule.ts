import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { scheduleCreateCommand } from './create.ts';
import { scheduleDeleteCommand } from './delete.ts';
import { scheduleDescribeCommand } from './describe.ts';
import { scheduleGetCommand } from './get.ts';
import { schedulePauseCommand } from './pause.ts';

const examples = `
Examples:
  lateen schedule create nightly --schedule '0 1 * * *' --keep-at-least 7
  lateen schedule get -o wide
  lateen schedule pause nightly`;

/** `lateen schedule …` */
export function scheduleCommand(context: CommandContext): Command {
  return new Command('schedule')
    .description('Create backups on a schedule')
    .addCommand(scheduleCreateCommand(context))
    .addCommand(scheduleGetCommand(context))
    .addCommand(scheduleDescribeCommand(context))
    .addCommand(scheduleDeleteCommand(context))
    .addCommand(schedulePauseCommand(context, 'pause'))
    .addCommand(schedulePauseCommand(context, 'unpause'))
    .addHelpText('after', examples);
}
