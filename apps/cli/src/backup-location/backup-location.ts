import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { backupLocationCreateCommand } from './create.ts';
import { backupLocationDeleteCommand } from './delete.ts';
import { backupLocationGetCommand } from './get.ts';
import { backupLocationSetCommand } from './set.ts';

const examples = `
Examples:
  lateen backup-location create offsite --provider aws --bucket backups --config region=eu-west-1 --wait
  lateen backup-location get -o wide`;

/** `lateen backup-location …` */
export function backupLocationCommand(context: CommandContext): Command {
  return new Command('backup-location')
    .description('Create, change, list and delete the places that backups are kept in')
    .addCommand(backupLocationCreateCommand(context))
    .addCommand(backupLocationGetCommand(context))
    .addCommand(backupLocationSetCommand(context))
    .addCommand(backupLocationDeleteCommand(context))
    .addHelpText('after', examples);
}
