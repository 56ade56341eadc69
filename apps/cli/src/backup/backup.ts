import { logsOfBackup } from '@lateen/operations/download';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { logsCommand } from '../download/logs-command.ts';
import { backupCancelCommand } from './cancel.ts';
import { backupCreateCommand } from './create.ts';
import { backupDeleteCommand } from './delete.ts';
import { backupDescribeCommand } from './describe.ts';
import { backupDiffCommand } from './diff.ts';
import { backupDownloadCommand } from './download.ts';
import { backupExplainCommand } from './explain.ts';
import { backupGetCommand } from './get.ts';

const examples = `
Examples:
  lateen backup create shop --include-namespaces shop --snapshot-move-data --wait
  lateen backup get
  lateen backup describe nightly-20260101020000
  lateen backup diff nightly-20260101020000 nightly-20260102020000
  lateen backup explain deployments.apps shop/web --from-schedule nightly
  lateen backup logs nightly-20260101020000
  lateen backup download nightly-20260101020000`;

/** `lateen backup …` */
export function backupCommand(context: CommandContext, env: Readonly<Record<string, string | undefined>>): Command {
  return new Command('backup')
    .description('Create and inspect backups')
    .addCommand(backupCreateCommand(context, env))
    .addCommand(backupGetCommand(context))
    .addCommand(backupDescribeCommand(context, env))
    .addCommand(logsCommand({ noun: 'backup', find: logsOfBackup }, context, env))
    .addCommand(backupDownloadCommand(context, env))
    .addCommand(backupDiffCommand(context, env))
    .addCommand(backupExplainCommand(context))
    .addCommand(backupDeleteCommand(context))
    .addCommand(backupCancelCommand(context))
    .addHelpText('after', examples);
}
