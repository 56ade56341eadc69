import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { storageBackupCommand } from './backup/backup.ts';
import { storageBackupTargetCommand } from './backup/backup-target.ts';
import { group } from './group.ts';
import { storageJobCommand } from './job/job.ts';
import { attachmentListCommand, engineListCommand, instanceManagerListCommand, replicaListCommand } from './lists.ts';
import { storageDiskCommand } from './node/disk.ts';
import { storageNodeCommand } from './node/node.ts';
import { storageNamespaceOption } from './open-storage.ts';
import { storageOrphanCommand } from './other/orphan.ts';
import { replicaDeleteCommand } from './replica-delete.ts';
import { replicaEvictCommand } from './replica-evict.ts';
import { storageSettingCommand } from './setting/setting.ts';
import { storageSnapshotCommand } from './snapshot/snapshot.ts';
import { storageVolumeCommand } from './volume/volume.ts';

/** `lateen storage …`: commands for replicated volumes, through the objects of longhorn.io. */
export const storageCommand = (context: CommandContext): Command =>
  group(
    'storage',
    'Work with replicated volumes, their nodes and disks, snapshots and backups',
    [
      'lateen storage volume list',
      'lateen storage volume describe pvc-1 --watch',
      'lateen storage node set node-2 --scheduling=false --evict',
      'lateen storage snapshot create pvc-1 --wait',
    ],
    [
      storageVolumeCommand(context),
      storageNodeCommand(context),
      storageDiskCommand(context),
      group(
        'replica',
        'See the copies of volumes',
        ['lateen storage replica list --volume pvc-1'],
        [replicaListCommand(context), replicaEvictCommand(context), replicaDeleteCommand(context)],
      ),
      storageSnapshotCommand(context),
      storageBackupCommand(context),
      storageBackupTargetCommand(context),
      storageSettingCommand(context),
      storageJobCommand(context),
      storageOrphanCommand(context),
      group('engine', 'See the engines of volumes', ['lateen storage engine list'], [engineListCommand(context)]),
      group(
        'instance-manager',
        'See the pods that engines and replicas run in',
        ['lateen storage instance-manager list'],
        [instanceManagerListCommand(context)],
      ),
      group(
        'attachment',
        'List the attachment requests of volumes',
        ['lateen storage attachment list'],
        [attachmentListCommand(context)],
      ),
    ],
  ).addOption(storageNamespaceOption());
