import { AppError } from '@lateen/errors';
import { type Command, Option } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import { parseDuration } from '../parse-duration.ts';

/** Backup flags that `lateen-controller` accepts under the same name, or under the name that is given here. */
const numbers = {
  concurrentBackups: { flag: '--concurrent-backups', about: 'backups that run at the same time', max: 100 },
  itemBlockWorkerCount: {
    flag: '--item-block-worker-count',
    about: 'groups of pods and volumes of a backup that are worked on at the same time',
    max: 1_000,
  },
} as const;

const durations = {
  backupSyncPeriod: {
    flag: '--backup-sync-period',
    about: 'how often to look for backups in locations that set no period; 0: never',
  },
  garbageCollectionFrequency: {
    flag: '--garbage-collection-frequency',
    about: 'how often to retry the deletion of an expired backup',
  },
  podVolumeOperationTimeout: {
    flag: '--pod-volume-operation-timeout',
    about: 'longest time for all pod volumes of a backup',
    argument: '--fs-backup-timeout',
  },
} as const;

const moveData = '--default-snapshot-move-data';
const toFsBackup = '--default-volumes-to-fs-backup';
const skipImmediately = '--schedule-skip-immediately';

export function addBackupFlags(command: Command): void {
  for (const { flag, about, max } of Object.values(numbers))
    command.addOption(new Option(`${flag} <number>`, about).argParser((text) => wholeNumber(flag, text, max)));
  withBooleanFlag(command, moveData, 'move the data of snapshots to the location unless a backup says otherwise');
  withBooleanFlag(
    command,
    toFsBackup,
    'back up volumes of pods from their files unless a backup or pod says otherwise',
  );
  for (const { flag, about } of Object.values(durations))
    command.addOption(new Option(`${flag} <duration>`, about).argParser((text) => durationText(flag, text)));
  withBooleanFlag(command, skipImmediately, 'skip a backup that is due at once, for schedules that do not set this');
}

/** The flags that were given, as arguments of the controller. */
export function backupArguments(flags: Readonly<Record<string, unknown>>): string[] {
  const given = (name: string, value: unknown): string[] => (value === undefined ? [] : [`${name}=${String(value)}`]);
  return [
    ...Object.entries(numbers).flatMap(([key, { flag }]) => given(flag, flags[key])),
    ...Object.entries(durations).flatMap(([key, each]) =>
      given('argument' in each ? each.argument : each.flag, flags[key]),
    ),
    ...given(moveData, flags.defaultSnapshotMoveData),
    ...given(toFsBackup, flags.defaultVolumesToFsBackup),
    ...given(skipImmediately, flags.scheduleSkipImmediately),
    ...given('--features', flags.features),
  ];
}

function durationText(flag: string, text: string): string {
  parseDuration(flag, text);
  return text;
}

/** As text, like all settings that are stored for the next install. */
function wholeNumber(flag: string, text: string, max: number): string {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 1 && value <= max) return text;
  throw new AppError('BAD_FLAG', `${flag} "${text}" is not a whole number from 1 to ${max}`);
}
