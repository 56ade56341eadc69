import type { Clock, Logger, Random } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import type { StorePaths } from '../names/store-paths.ts';

/** What every operation on a backup store needs. */
export interface StoreContext {
  /** Calls are retried as this store does it (`retryingStore`). */
  readonly store: ObjectStore;
  readonly paths: StorePaths;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface Call {
  readonly signal: AbortSignal;
}
