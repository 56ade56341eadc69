import type { Clock, Random } from '@lateen/kernel';
import type { KubeObject } from '@lateen/kube';
import { FakeClock } from '../clock/fake-clock.ts';
import { seededRandom } from '../clock/seeded-random.ts';
import { collectGarbageOf } from './garbage.ts';
import { knownTypes } from './known-types.ts';
import type { ServerState } from './server-state.ts';
import { ObjectStore, typeKeyOf } from './store.ts';

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
  /**
   * As a whole cluster is: only kinds that somebody has defined are served, a new definition after a moment; pods want their
   * ServiceAccount and PriorityClass; each namespace gets its ServiceAccount `default` and its ConfigMap `kube-root-ca.crt`.
   * Default false: tests say what is there.
   */
  strict?: boolean;
  /** How long a new definition takes to be established and served, by its name; undefined: for ever. Default: no time. */
  definitionDelayMs?: (name: string) => number | undefined;
}

export function serverState(options: FakeClusterOptions): ServerState {
  const state: ServerState = {
    store: new ObjectStore(),
    applied: new Map(),
    clock: options.clock ?? new FakeClock(),
    random: options.random ?? seededRandom(),
    gracefulPods: options.gracefulPods ?? false,
    garbageCollection: options.garbageCollection ?? true,
    strict: options.strict ?? false,
    servedAlways: new Set(knownTypes({ strict: true, all: () => [] }).map(typeKeyOf)),
    definitionDelayMs: options.definitionDelayMs ?? (() => 0),
    collectGarbageOf: (entry) => collectGarbageOf(state, entry),
  };
  return state;
}
