import { logsOfBackup } from '@lateen/operations/download';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { logsCommand } from '../download/logs-command.ts';
import { backupDownloadCommand } from './download.ts';

const examples = `
Examples:
  lateen backup logs nightly-20260101020000
  lateen backup download nightly-20260101020000`;

/** `lateen backup …` */
export function backupCommand(context: CommandContext, env: Readonly<Record<string, string | undefined>>): Command {
  return new Command('backup')
    .description('Look into backups')
    .addCommand(logsCommand({ noun: 'backup', find: logsOfBackup }, context, env))
    .addCommand(backupDownloadCommand(context, env))
    .addHelpText('after', examples);
}
