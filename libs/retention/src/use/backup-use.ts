import {
  type Backup,
  type BackupPhase,
  getValidName,
  labels,
  type Restore,
  type RestorePhase,
} from '@lateen/api-types';

/** A controller works on the backup, or is about to begin. */
const running: readonly (BackupPhase | undefined)[] = [
  'ReadyToStart',
  'InProgress',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
  'Canceling',
];

export const isRunning = ({ status }: Backup): boolean => running.includes(status?.phase);

/** Nothing was ever stored of one that was not begun. What the bucket has under its name is another backup. */
export const neverStored = ({ status }: Backup): boolean =>
  !status?.startTimestamp || (status.failureReason ?? '').startsWith('backup already exists in object storage');

const ended: readonly (RestorePhase | undefined)[] = [
  'FailedValidation',
  'Completed',
  'PartiallyFailed',
  'Failed',
  'Canceled',
];

/** A Restore that reads the backup now, or is about to. One of a schedule that has not chosen yet may choose any of its backups. */
export function restoreInHand(backup: Backup, restores: readonly Restore[]): Restore | undefined {
  const { name, labels: given } = backup.metadata;
  const schedule = given?.[labels.scheduleName];
  return restores.find(({ metadata, spec, status }) => {
    if (metadata.deletionTimestamp !== undefined || ended.includes(status?.phase)) return false;
    if (spec.backupName) return spec.backupName === name;
    return schedule !== undefined && getValidName(spec.scheduleName ?? '') === schedule;
  });
}
