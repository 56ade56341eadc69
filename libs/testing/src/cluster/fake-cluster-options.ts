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
  /** Objects stored unchanged (status included) with the metadata that the server adds; their namespaces are created. */
  objects?: readonly KubeObject[];
  /** Deleted pods on a node remain, with a deletionTimestamp, until `remove`, as with a real kubelet. Default: they are removed at once. */
  gracefulPods?: boolean;
  /** Default true. */
  garbageCollection?: boolean;
  /**
   * Behave like a whole cluster: only defined kinds are served, a new definition after a delay; pods need their
   * ServiceAccount and PriorityClass; each namespace gets its ServiceAccount `default` and its ConfigMap `kube-root-ca.crt`.
   * Default false: tests create what they need.
   */
  strict?: boolean;
  /** Delay until a new definition is established and served, by its name; undefined: never. Default: no delay. */
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
