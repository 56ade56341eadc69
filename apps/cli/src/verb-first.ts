import { Command } from 'commander';
import { backupCreateCommand } from './backup/create.ts';
import { backupDeleteCommand } from './backup/delete.ts';
import { backupDescribeCommand } from './backup/describe.ts';
import { backupGetCommand } from './backup/get.ts';
import { backupLocationCreateCommand } from './backup-location/create.ts';
import { backupLocationDeleteCommand } from './backup-location/delete.ts';
import { backupLocationGetCommand } from './backup-location/get.ts';
import type { CommandContext } from './command-context.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `lateen get backups` and so on: the same commands with the verb first (cli.md section 2). */
export function verbFirstCommands(context: CommandContext, env: Environment): Command[] {
  return [
    new Command('get')
      .description('List things of one kind')
      .addCommand(backupGetCommand(context, 'backups').alias('backup'))
      .addCommand(backupLocationGetCommand(context, 'backup-locations').alias('backup-location'))
      .addHelpText('after', '\nExamples:\n  lateen get backups\n  lateen get backup-locations'),
    new Command('describe')
      .description('Show all that is known of things of one kind')
      .addCommand(backupDescribeCommand(context, env, 'backups').alias('backup'))
      .addHelpText('after', '\nExamples:\n  lateen describe backups nightly-20260101020000'),
    new Command('create')
      .description('Create things')
      .addCommand(backupCreateCommand(context, env, 'backup'))
      .addCommand(backupLocationCreateCommand(context, 'backup-location'))
      .addHelpText(
        'after',
        '\nExamples:\n  lateen create backup before-upgrade --wait\n  lateen create backup-location offsite --provider aws --bucket backups',
      ),
    new Command('delete')
      .description('Delete things')
      .addCommand(backupDeleteCommand(context, 'backup').alias('backups'))
      .addCommand(backupLocationDeleteCommand(context, 'backup-location').alias('backup-locations'))
      .addHelpText(
        'after',
        '\nExamples:\n  lateen delete backup nightly-20260101020000\n  lateen delete backup-location offsite',
      ),
  ];
}
