import type { RecurringTask, Volume } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

/** Why a run leaves a volume out. */
export function whyNot(
  { metadata, status = {} }: Volume,
  task: RecurringTask | undefined,
  settings: Settings,
): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (status.robustness === 'faulted') return 'no replica of it can be used';
  if (status.isStandby === true) return 'it is a standby volume';
  if (status.restoreRequired === true) return 'its first content is being restored';
  if (status.state === 'attached') return undefined;
  if (task === 'filesystem-trim') return 'it is not attached, so that no file system of it is mounted';
  if (settings.flag('allow-recurring-job-while-volume-detached')) return undefined;
  return 'it is not attached, and the setting allow-recurring-job-while-volume-detached is false';
}
