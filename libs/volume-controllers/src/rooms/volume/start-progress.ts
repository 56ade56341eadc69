import type { Clock } from '@lateen/kernel';
import type { Informer } from '@lateen/kube-runtime';
import { instanceStateOf, type Replica } from '@lateen/storage-types';

/** When each node was last seen to start a replica, by the monotonic clock. Memory: the nodes that have replicas. */
export class StartProgress {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #startedMs = new Map<string, number>();

  constructor(replicas: Pick<Informer<Replica>, 'onChange'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    replicas.onChange((change) => {
      if (change.type !== 'updated') return;
      const isStarted = instanceStateOf(change.object) === 'running' && instanceStateOf(change.previous) !== 'running';
      if (isStarted) this.#startedMs.set(change.object.spec.nodeID ?? '', clock.monotonicMs());
    });
  }

  /** How long ago, for those of `nodes` that have started any. */
  agoMs(nodes: Iterable<string>): ReadonlyMap<string, number> {
    const nowMs = this.#clock.monotonicMs();
    const known = [...nodes].flatMap((node) => {
      const startedMs = this.#startedMs.get(node);
      return startedMs === undefined ? [] : [[node, nowMs - startedMs] as const];
    });
    return new Map(known);
  }
}
