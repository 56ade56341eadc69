export { backupName } from './decide/backup-name.ts';
export { type Jitter, jitterOf } from './decide/jitter.ts';
export { scheduleBackup } from './decide/schedule-backup.ts';
export { validateSchedule } from './decide/validate-schedule.ts';
export type { ScheduleObserver } from './run/schedule-observer.ts';
export {
  backupIndexers,
  runScheduleController,
  type ScheduleControllerOptions,
} from './run-schedule-controller.ts';
