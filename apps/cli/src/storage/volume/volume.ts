import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { group } from '../group.ts';
import { storageVolumeActivateCommand } from './activate.ts';
import { storageVolumeAttachCommand, storageVolumeDetachCommand } from './attach.ts';
import { storageVolumeCreateCommand } from './create.ts';
import { storageVolumeDeleteCommand } from './delete.ts';
import { storageVolumeDescribeCommand } from './describe.ts';
import { storageVolumeExpandCommand } from './expand.ts';
import { storageVolumeListCommand } from './list.ts';
import { storageVolumeRecurringJobCommand } from './recurring-job.ts';
import { storageVolumeSalvageCommand } from './salvage.ts';
import { storageVolumeTrimCommand } from './trim.ts';
import { storageVolumeUpdateCommand } from './update.ts';

/** `lateen storage volume …` */
export const storageVolumeCommand = (context: CommandContext): Command =>
  group(
    'volume',
    'See replicated volumes and work with them',
    ['lateen storage volume list', 'lateen storage volume describe pvc-1 --watch'],
    [
      storageVolumeListCommand(context),
      storageVolumeDescribeCommand(context),
      storageVolumeCreateCommand(context),
      storageVolumeActivateCommand(context),
      storageVolumeAttachCommand(context),
      storageVolumeDetachCommand(context),
      storageVolumeExpandCommand(context),
      storageVolumeSalvageCommand(context),
      storageVolumeDeleteCommand(context),
      storageVolumeTrimCommand(context),
      storageVolumeUpdateCommand(context),
      storageVolumeRecurringJobCommand(context),
    ],
  );
