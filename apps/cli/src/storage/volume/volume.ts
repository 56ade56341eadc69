import { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { storageVolumeDescribeCommand } from './describe.ts';
import { storageVolumeListCommand } from './list.ts';

const examples = `
Examples:
  lateen storage volume list
  lateen storage volume describe pvc-1`;

/** `lateen storage volume …` */
export function storageVolumeCommand(context: CommandContext): Command {
  return new Command('volume')
    .description('See replicated volumes and work with them')
    .addCommand(storageVolumeListCommand(context))
    .addCommand(storageVolumeDescribeCommand(context))
    .addHelpText('after', examples);
}
