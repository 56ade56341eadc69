import { type Backup, backupType, type Schedule } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isAlreadyExists, readObject } from '@lateen/kube';
import { backupName } from '../decide/backup-name.ts';
import { isMadeBy, scheduleBackup } from '../decide/schedule-backup.ts';
import type { SchedulePorts } from './schedule-ports.ts';

/** A Backup that is not later than this has the time it was due at in its name, so that two processes make one, not two. */
const punctualMs = 60_000;

/** Seconds that are tried when a name is taken. */
const namesMax = 10;

/**
 * Creates the Backup of a run that was due at `dueMs`, and resolves with the time in its name. One that another process of ours has made
 * for the same moment counts; a name that another object has is not used. @throws SCHEDULE_NAMES_TAKEN, KUBE_…
 */
export async function makeBackup(
  { kube, clock, log }: Pick<SchedulePorts, 'kube' | 'clock' | 'log'>,
  schedule: Schedule,
  dueMs: number,
  signal: AbortSignal,
): Promise<number> {
  const { name: scheduleName = '', namespace = '' } = schedule.metadata;
  const nowMs = Math.floor(clock.now() / 1_000) * 1_000;
  const firstMs = nowMs - dueMs > punctualMs ? nowMs : dueMs;
  for (let at = 0; at < namesMax; at++) {
    const atMs = firstMs + at * 1_000;
    const name = backupName(scheduleName, atMs);
    const there = await create(scheduleBackup(schedule, name));
    if (there !== undefined && !isMadeBy(there, schedule)) continue;
    log.info({ schedule: scheduleName, backup: name }, 'a Backup of the schedule is made');
    return atMs;
  }
  throw new AppError(
    'SCHEDULE_NAMES_TAKEN',
    `the Backups ${backupName(scheduleName, firstMs)} and those after it exist`,
    {
      retry: 'later',
    },
  );

  /** The one that has the name already, if there is one. */
  async function create(backup: Backup): Promise<Backup | undefined> {
    try {
      await kube.create(backupType, backup, { namespace, signal });
      return undefined;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const key = { namespace, name: backup.metadata.name ?? '' };
      const there = await readObject(kube, backupType, key, signal);
      if (there === undefined) throw error;
      return there;
    }
  }
}
