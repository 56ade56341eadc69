/** Told what schedules ask for; for metrics. Must not throw. */
export interface ScheduleObserver {
  /** Between two Backups of a schedule in force, in ms; undefined: it is paused, invalid or gone. */
  interval(schedule: string, ms: number | undefined): void;
}
