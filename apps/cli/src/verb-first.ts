import { Command } from 'commander';
import { backupCreateCommand } from './backup/create.ts';
import { backupDeleteCommand } from './backup/delete.ts';
import { backupDescribeCommand } from './backup/describe.ts';
import { backupGetCommand } from './backup/get.ts';
import { backupLocationCreateCommand } from './backup-location/create.ts';
import { backupLocationDeleteCommand } from './backup-location/delete.ts';
import { backupLocationGetCommand } from './backup-location/get.ts';
import type { CommandContext } from './command-context.ts';
import { restoreCreateCommand } from './restore/create.ts';
import { restoreDeleteCommand } from './restore/delete.ts';
import { restoreDescribeCommand } from './restore/describe.ts';
import { restoreGetCommand } from './restore/get.ts';
import { scheduleCreateCommand } from './schedule/create.ts';
import { scheduleDeleteCommand } from './schedule/delete.ts';
import { scheduleDescribeCommand } from './schedule/describe.ts';
import { scheduleGetCommand } from './schedule/get.ts';
import { pluginGetCommand } from './server/plugin.ts';
import { snapshotLocationCreateCommand } from './snapshot-location/create.ts';
import { snapshotLocationGetCommand } from './snapshot-location/get.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `lateen get backups` and so on: the same commands with the verb first (cli.md section 2). */
export function verbFirstCommands(context: CommandContext, env: Environment): Command[] {
  return [
    verb(
      'get',
      'List objects of one kind',
      ['get backups', 'get restores', 'get schedules', 'get backup-locations'],
      [
        backupGetCommand(context, 'backups').alias('backup'),
        restoreGetCommand(context, 'restores').alias('restore'),
        scheduleGetCommand(context, 'schedules').alias('schedule'),
        backupLocationGetCommand(context, 'backup-locations').alias('backup-location'),
        snapshotLocationGetCommand(context, 'snapshot-locations').alias('snapshot-location'),
        pluginGetCommand(context, 'plugins').alias('plugin'),
      ],
    ),
    verb(
      'describe',
      'Describe objects of one kind',
      ['describe backups nightly-20260101020000'],
      [
        backupDescribeCommand(context, env, 'backups').alias('backup'),
        restoreDescribeCommand(context, env, 'restores').alias('restore'),
        scheduleDescribeCommand(context, 'schedules').alias('schedule'),
      ],
    ),
    verb(
      'create',
      'Create objects',
      ['create backup before-upgrade --wait', 'create schedule nightly --schedule @daily'],
      [
        backupCreateCommand(context, env, 'backup'),
        restoreCreateCommand(context, env, 'restore'),
        scheduleCreateCommand(context, 'schedule'),
        backupLocationCreateCommand(context, 'backup-location'),
        snapshotLocationCreateCommand(context, 'snapshot-location'),
      ],
    ),
    verb(
      'delete',
      'Delete objects',
      ['delete backup nightly-20260101020000', 'delete backup-location offsite'],
      [
        backupDeleteCommand(context, 'backup').alias('backups'),
        restoreDeleteCommand(context, 'restore').alias('restores'),
        scheduleDeleteCommand(context, 'schedule').alias('schedules'),
        backupLocationDeleteCommand(context, 'backup-location').alias('backup-locations'),
      ],
    ),
  ];
}

function verb(name: string, about: string, examples: readonly string[], commands: readonly Command[]): Command {
  const command = new Command(name).description(about);
  for (const each of commands) command.addCommand(each);
  return command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  lateen ${example}`).join('\n')}`);
}
