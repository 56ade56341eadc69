import { logsOfRestore } from '@lateen/operations/download';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { logsCommand } from '../download/logs-command.ts';
import { restoreCancelCommand } from './cancel.ts';
import { restoreCreateCommand } from './create.ts';
import { restoreDeleteCommand } from './delete.ts';
import { restoreDescribeCommand } from './describe.ts';
import { restoreGetCommand } from './get.ts';
import { restorePlanCommand } from './plan.ts';
import { restoreRollbackCommand } from './rollback.ts';

const examples = `
Examples:
  lateen restore plan --from-backup nightly-20260101020000
  lateen restore create --from-backup nightly-20260101020000 --wait
  lateen restore get
  lateen restore describe nightly-20260101020000-20260102093000
  lateen restore logs nightly-20260101020000-20260102093000
  lateen restore cancel nightly-20260101020000-20260102093000`;

/** `lateen restore …` */
export function restoreCommand(context: CommandContext, env: Readonly<Record<string, string | undefined>>): Command {
  return new Command('restore')
    .description('Create and inspect restores')
    .addCommand(restorePlanCommand(context, env))
    .addCommand(restoreCreateCommand(context, env))
    .addCommand(restoreGetCommand(context))
    .addCommand(restoreDescribeCommand(context, env))
    .addCommand(logsCommand({ noun: 'restore', find: logsOfRestore }, context, env))
    .addCommand(restoreDeleteCommand(context))
    .addCommand(restoreCancelCommand(context))
    .addCommand(restoreRollbackCommand(context))
    .addHelpText('after', examples);
}
