import { uploaderTypes } from '@lateen/api-types';
import { type BackupSettings, backupSettingsDefault } from '@lateen/backup';
import { AppError } from '@lateen/errors';
import { booleanFlag } from '@lateen/process/server';
import { type Command, Option, type OptionValues } from 'commander';
import { durationFlag, numberFlag } from './server-flags.ts';

const usual = backupSettingsDefault;

/** Flags of backups, with Velero's names (performance.md section 1). */
export function addBackupFlags(command: Command): Command {
  return command
    .addOption(durationFlag('--default-backup-ttl', 'how long to keep backups that set no TTL', usual.defaultTtl))
    .addOption(
      durationFlag(
        '--default-item-operation-timeout',
        'longest wait for operations of backups and restores that set no timeout',
        usual.defaultItemOperationTimeout,
      ),
    )
    .addOption(durationFlag('--resource-timeout', 'longest wait for one object of the cluster', usual.resourceTimeout))
    .addOption(numberFlag('--concurrent-backups', 'backups that run at the same time', usual.concurrentBackups, 1, 100))
    .addOption(
      numberFlag(
        '--item-block-worker-count',
        'groups of pods and volumes of a backup that are worked on at the same time',
        usual.itemBlockWorkers,
        1,
        1_000,
      ),
    )
    .addOption(
      numberFlag('--client-page-size', 'objects of one page of a list; 0 for the default', usual.pageSize, 0, 10_000),
    )
    .addOption(booleanFlag('--default-snapshot-move-data', 'move the data of snapshots unless a backup says otherwise'))
    .addOption(
      booleanFlag(
        '--default-volumes-to-fs-backup',
        'back up volumes of pods from their files unless a backup or pod says otherwise',
      ),
    )
    .addOption(
      durationFlag(
        '--fs-backup-timeout',
        'longest time in which all volumes of pods of a backup are read; those that have not ended then are cancelled',
        usual.podVolumes.timeout,
      ),
    )
    .addOption(
      new Option('--uploader-type <engine>', 'engine that stores volumes of pods')
        .choices(uploaderTypes.filter((name) => name !== ''))
        .default(usual.podVolumes.uploaderType),
    )
    .addOption(
      new Option('--default-volume-snapshot-locations <provider:name,...>', 'location of native snapshots by provider')
        .argParser(snapshotLocations)
        .default(new Map()),
    )
    .option('--global-backup-volume-policies-configmap <name>', 'ConfigMap with volume policies for every backup')
    .option('--features <names>', 'features to switch on: EnableAPIGroupVersions; EnableCSI is always on', '');
}

export function backupSettings(flags: OptionValues): BackupSettings {
  const features = String(flags.features).split(',');
  return {
    defaultLocation: flags.defaultBackupStorageLocation || usual.defaultLocation,
    defaultSnapshotLocations: flags.defaultVolumeSnapshotLocations,
    defaultTtl: flags.defaultBackupTtl,
    defaultItemOperationTimeout: flags.defaultItemOperationTimeout,
    defaultSnapshotMoveData: flags.defaultSnapshotMoveData,
    defaultVolumesToFsBackup: flags.defaultVolumesToFsBackup,
    globalVolumePolicies: flags.globalBackupVolumePoliciesConfigmap || undefined,
    resourceTimeout: flags.resourceTimeout,
    concurrentBackups: flags.concurrentBackups,
    itemBlockWorkers: flags.itemBlockWorkerCount,
    pageSize: flags.clientPageSize || usual.pageSize,
    allVersions: features.includes('EnableAPIGroupVersions'),
    podVolumes: {
      enabled: flags.usePodVolumes,
      timeout: flags.fsBackupTimeout,
      uploaderType: flags.uploaderType,
    },
  };
}

function snapshotLocations(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((pair) => pair.split(':'));
  const wrong = pairs.find((pair) => pair.length !== 2 || pair.includes(''));
  if (wrong !== undefined)
    throw new AppError('USAGE', `--default-volume-snapshot-locations "${wrong.join(':')}" is not <provider>:<name>`);
  return new Map(pairs.map(([provider = '', name = '']) => [provider, name]));
}
