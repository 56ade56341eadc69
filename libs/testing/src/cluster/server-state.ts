import type { Clock, Random } from '@lateen/kernel';
import type { AppliedFields } from './applied-fields.ts';
import type { Entry, ObjectStore } from './store.ts';

/** State that the parts of the fake API server share. */
export interface ServerState {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** A deleted pod on a node remains, with a deletionTimestamp, until the test's kubelet removes it. */
  readonly gracefulPods: boolean;
  /** Off: owner references have no effect, as with an API server without a controller manager. */
  readonly garbageCollection: boolean;
  /** See {@link FakeClusterOptions.strict}. */
  readonly strict: boolean;
  /** Kinds outside the API server's own groups that need no definition. */
  readonly servedAlways: ReadonlySet<string>;
  readonly definitionDelayMs: (name: string) => number | undefined;
  /** Fields that field managers applied, by UID. */
  readonly applied: Map<string, AppliedFields>;
  /** Called for each object that was removed or marked as being deleted, to run the follow-up work. */
  readonly collectGarbageOf: (entry: Entry) => void;
}

/** The finalizers that a delete with a propagation policy sets and the garbage collector removes. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** metav1.Time: RFC 3339 in whole seconds. */
export const apiTime = (clock: Clock): string => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
