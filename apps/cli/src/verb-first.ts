import { Command } from 'commander';
import { backupLocationCreateCommand } from './backup-location/create.ts';
import { backupLocationDeleteCommand } from './backup-location/delete.ts';
import { backupLocationGetCommand } from './backup-location/get.ts';
import type { CommandContext } from './command-context.ts';

/** `lateen get backup-locations` and so on: the same commands with the verb first (cli.md section 2). */
export function verbFirstCommands(context: CommandContext): Command[] {
  const noun = 'backup-location';
  const nouns = 'backup-locations';
  return [
    new Command('get')
      .description('List things of one kind')
      .addCommand(backupLocationGetCommand(context, nouns).alias(noun))
      .addHelpText('after', '\nExamples:\n  lateen get backup-locations'),
    new Command('create')
      .description('Create things')
      .addCommand(backupLocationCreateCommand(context, noun))
      .addHelpText('after', '\nExamples:\n  lateen create backup-location offsite --provider aws --bucket backups'),
    new Command('delete')
      .description('Delete things')
      .addCommand(backupLocationDeleteCommand(context, noun).alias(nouns))
      .addHelpText('after', '\nExamples:\n  lateen delete backup-location offsite'),
  ];
}
