import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { storageNamespaceOption } from './open-storage.ts';
import { storageVolumeCommand } from './volume/volume.ts';

const examples = `
Examples:
  lateen storage volume list
  lateen storage volume describe pvc-1`;

/** `lateen storage …`: volumes that are kept on several nodes, by the objects of longhorn.io. */
export function storageCommand(context: CommandContext): Command {
  return new Command('storage')
    .description('Work with replicated volumes, their nodes and disks, snapshots and backups')
    .addOption(storageNamespaceOption())
    .addCommand(storageVolumeCommand(context))
    .addHelpText('after', examples);
}
