import type { Schedule } from '@lateen/api-types';
import { type CronTimes, parseCron } from '@lateen/cron';
import { isAppError } from '@lateen/errors';
import { backupTimeLength } from './backup-name.ts';

/** The longest name of an object. */
const nameLengthMax = 253;

export interface ScheduleCheck {
  /** For status.validationErrors; empty: the schedule is in force. */
  errors: string[];
  /** Undefined when the expression cannot be read. */
  times: CronTimes | undefined;
}

/** What is wrong with a schedule, in the words of Velero where it has some (backup-and-restore.md section 8). */
export function validateSchedule({ metadata, spec }: Schedule, nowMs: number): ScheduleCheck {
  const errors: string[] = [];
  const times = timesOf(spec.schedule, nowMs, errors);
  if (spec.template.cancel !== undefined)
    errors.push('spec.template.cancel is not allowed: it would cancel each Backup that is made');
  const room = nameLengthMax - backupTimeLength;
  if ((metadata.name ?? '').length > room)
    errors.push(`the name is longer than ${room} characters: its Backups could have no name`);
  return { errors, times };
}

function timesOf(text: string, nowMs: number, errors: string[]): CronTimes | undefined {
  if (text === '') {
    errors.push('Schedule must be a non-empty valid Cron expression');
    return undefined;
  }
  try {
    const times = parseCron(text);
    if (times.next(nowMs) === undefined) errors.push(`invalid schedule: "${text}" never comes`);
    return times;
  } catch (error) {
    if (!isAppError(error, 'CRON_INVALID')) throw error;
    errors.push(`invalid schedule: ${error.message}`);
    return undefined;
  }
}
