import type { Clock, Random } from '@lateen/kernel';
import type { KubeObject } from '@lateen/kube';
import { FakeClock } from '../clock/fake-clock.ts';
import { seededRandom } from '../clock/seeded-random.ts';
import { collectGarbageOf } from './garbage.ts';
import type { ServerState } from './server-state.ts';
import { ObjectStore } from './store.ts';

export interface FakeClusterOptions {
  /** Default: a {@link FakeClock}. */
  clock?: Clock;
  /** Default: seed 1. */
  random?: Random;
  /** Stored as they are (status included); what the server would add is added, and their namespaces exist. */
  objects?: readonly KubeObject[];
  /** Deleted pods that run on a node stay, with a deletionTimestamp, until `remove`, as with a real kubelet. Default: they go at once. */
  gracefulPods?: boolean;
  /** Default true. */
  garbageCollection?: boolean;
}

export function serverState(options: FakeClusterOptions): ServerState {
  const state: ServerState = {
    store: new ObjectStore(),
    applied: new Map(),
    clock: options.clock ?? new FakeClock(),
    random: options.random ?? seededRandom(),
    gracefulPods: options.gracefulPods ?? false,
    garbageCollection: options.garbageCollection ?? true,
    collectGarbageOf: (entry) => collectGarbageOf(state, entry),
  };
  return state;
}
