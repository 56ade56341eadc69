/** Gets the events of maintenance, for metrics; its methods must be cheap and must not throw. */
export interface MaintenanceObserver {
  /** Once for each Job, after its end is in the status. */
  ended(run: { repository: string; succeeded: boolean; ms: number }): void;
  /** There is no such repository any more. */
  removed(repository: string): void;
}
