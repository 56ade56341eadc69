import { volumeNoun } from '@lateen/operations/storage';
import type { CommandContext } from '../../command-context.ts';
import { sizeText } from '../cells.ts';
import { storageDeleteCommand } from '../delete-command.ts';
import { volumeNames } from '../storage-names.ts';
import { claimText } from './volume-columns.ts';

const examples = `
Examples:
  lateen storage volume delete pvc-1
  lateen storage volume delete pvc-1 pvc-2 --confirm`;

/** `lateen storage volume delete [NAME…]` */
export const storageVolumeDeleteCommand = (context: CommandContext) =>
  storageDeleteCommand(
    {
      noun: volumeNoun,
      about: 'Delete volumes with all their data and snapshots; their backups stay',
      examples,
      names: volumeNames,
      describe: (volume) => {
        const { metadata, spec, status } = volume;
        const used = claimText(volume) === '' ? '' : `; claim ${claimText(volume)} uses it`;
        const attached = (status?.currentNodeID ?? '') === '' ? '' : `, attached to ${status?.currentNodeID}`;
        return `${metadata.name}, ${sizeText(spec.size)}${attached}${used}; all its data and snapshots are deleted`;
      },
    },
    context,
  );
