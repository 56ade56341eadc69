import type { Clock, Random } from '@lateen/kernel';
import type { AppliedFields } from './applied-fields.ts';
import type { Entry, ObjectStore } from './store.ts';

/** What the parts of the fake API server share. */
export interface ServerState {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** A deleted pod that has a node stays, with a deletionTimestamp, until a test's kubelet removes it. */
  readonly gracefulPods: boolean;
  /** Off: owner references have no effect, as with an API server that has no controller manager. */
  readonly garbageCollection: boolean;
  /** See {@link FakeClusterOptions.strict}. */
  readonly strict: boolean;
  /** Kinds that need no definition although their group is none of the API server's own. */
  readonly servedAlways: ReadonlySet<string>;
  readonly definitionDelayMs: (name: string) => number | undefined;
  /** By uid: what field managers applied. */
  readonly applied: Map<string, AppliedFields>;
  /** Called for each object that was removed or marked as being deleted: the work that follows from it. */
  readonly collectGarbageOf: (entry: Entry) => void;
}

/** The finalizers that a delete with propagation policy sets and the garbage collector takes off. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** metav1.Time: RFC 3339 in whole seconds. */
export const apiTime = (clock: Clock): string => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
