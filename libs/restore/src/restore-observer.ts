import type { Restore } from '@lateen/api-types';

/** Receives what happens to restores, for metrics. Must not throw. */
export interface RestoreObserver {
  /** Receives a function that reads the Restores of the cluster at any time. */
  readings(read: () => readonly Restore[]): void;
  /** Called when a phase change was stored. */
  moved(before: Restore, after: Restore): void;
}
