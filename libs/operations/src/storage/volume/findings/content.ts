import type { FindIn } from './finding.ts';

/** A volume whose data has yet to be restored from a backup. */
export const content: FindIn = ({ volume, engine }) => {
  const { spec, status = {} } = volume;
  if ((spec.fromBackup ?? '') === '' || status.restoreRequired !== true) return [];
  const condition = status.conditions?.find(({ type }) => type === 'Restore');
  if (condition?.reason === 'RestoreFailure')
    return [
      {
        reason: 'RestoreFailure',
        weight: 'trouble',
        text: `its content could not be restored: ${condition.message}`,
        next: 'It is tried again; if the backup is gone, delete the volume and take another one: lateen storage backup list',
      },
    ];
  const going = Object.values(engine?.status?.restoreStatus ?? {}).find(({ isRestoring }) => isRestoring === true);
  const { lastRestoredBackup: last = '' } = engine?.status ?? {};
  if (going !== undefined)
    return [
      {
        reason: 'Restoring',
        weight: 'waits',
        text: `backup ${going.currentRestoringBackup} is being restored: ${going.progress ?? 0}%`,
      },
    ];
  if (spec.Standby === true && last !== '')
    return [
      {
        reason: 'Standby',
        weight: 'waits',
        text: `it is in standby with backup ${last}; each newer backup is restored into it`,
        next: `To use it: lateen storage volume activate ${volume.metadata.name}`,
      },
    ];
  return [{ reason: 'Restoring', weight: 'waits', text: 'its content is still to be restored' }];
};
