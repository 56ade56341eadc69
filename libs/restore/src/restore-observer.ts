import type { Restore } from '@lateen/api-types';

/** Told what happens to restores; metrics follow from it. Must not throw. */
export interface RestoreObserver {
  /** Where the Restores of the cluster can be read at any time. */
  readings(read: () => readonly Restore[]): void;
  /** A move to another phase was stored. */
  moved(before: Restore, after: Restore): void;
}
