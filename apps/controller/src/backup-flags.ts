import { type BackupSettings, backupSettingsDefault } from '@lateen/backup';
import { AppError } from '@lateen/errors';
import { type Command, Option, type OptionValues } from 'commander';
import { booleanValue, durationMs, wholeNumber } from './flag-values.ts';

const usual = backupSettingsDefault;

/** Flags of backups, with the reference's names (performance.md section 1). */
export function addBackupFlags(command: Command): Command {
  return command
    .addOption(duration('--default-backup-ttl', 'how long a backup is kept that does not say itself', usual.defaultTtl))
    .addOption(
      duration(
        '--default-item-operation-timeout',
        'longest wait for operations of a backup that does not say itself',
        usual.defaultItemOperationTimeout,
      ),
    )
    .addOption(duration('--resource-timeout', 'longest wait for one object of the cluster', usual.resourceTimeout))
    .addOption(number('--concurrent-backups', 'backups that run at the same time', usual.concurrentBackups, 1, 100))
    .addOption(
      number(
        '--item-block-worker-count',
        'groups of pods and volumes of a backup that are worked on at the same time',
        usual.itemBlockWorkers,
        1,
        1_000,
      ),
    )
    .addOption(
      number('--client-page-size', 'objects of one page of a list; 0 for the default', usual.pageSize, 0, 10_000),
    )
    .addOption(boolean('--default-snapshot-move-data', 'move the data of snapshots unless a backup says otherwise'))
    .addOption(boolean('--default-volumes-to-fs-backup', 'read volumes of pods from their files unless told otherwise'))
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
  };
}

/** As text: it goes into objects as it is. Zero asks for the default, as with the reference. */
function duration(flag: string, what: string, usually: string): Option {
  const parse = (text: string): string => (durationMs(flag, text, usually) === 0 ? usually : text);
  return new Option(`${flag} <duration>`, what).argParser(parse).default(usually);
}

function number(flag: string, what: string, usually: number, min: number, max: number): Option {
  const parse = (text: string): number => wholeNumber(flag, text, { min, max });
  return new Option(`${flag} <number>`, what).argParser(parse).default(usually);
}

/** With or without a value, as Go's flags. */
function boolean(flag: string, what: string): Option {
  const parse = (text: string): boolean => booleanValue(flag, text);
  return new Option(`${flag} [true|false]`, what).argParser(parse).preset('true').default(false);
}

function snapshotLocations(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((pair) => pair.split(':'));
  const wrong = pairs.find((pair) => pair.length !== 2 || pair.includes(''));
  if (wrong !== undefined)
    throw new AppError('USAGE', `--default-volume-snapshot-locations "${wrong.join(':')}" is not <provider>:<name>`);
  return new Map(pairs.map(([provider = '', name = '']) => [provider, name]));
}
