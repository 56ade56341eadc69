import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { snapshotLocationCreateCommand } from './create.ts';
import { snapshotLocationGetCommand } from './get.ts';
import { snapshotLocationSetCommand } from './set.ts';

const examples = `
Examples:
  lateen snapshot-location create ebs --provider aws --config region=eu-west-1
  lateen snapshot-location get`;

/** `lateen snapshot-location …` */
export function snapshotLocationCommand(context: CommandContext): Command {
  return new Command('snapshot-location')
    .description('Create, change and list the places of native volume snapshots')
    .addCommand(snapshotLocationCreateCommand(context))
    .addCommand(snapshotLocationGetCommand(context))
    .addCommand(snapshotLocationSetCommand(context))
    .addHelpText('after', examples);
}
