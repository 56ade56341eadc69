/** Told what becomes of deletions; for metrics. `schedule` is "" for a backup of none. Must not throw. */
export interface DeletionObserver {
  attempted(schedule: string): void;
  succeeded(schedule: string): void;
  failed(schedule: string): void;
}
