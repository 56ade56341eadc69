import { type DataDownload, type DataUpload, dataDownloadType, dataUploadType, type Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { FakeCluster } from '@lateen/testing';
import type { Dice } from './dice.ts';
import type { Ledger } from './ledger.ts';
import { runMover } from './mover.ts';
import type { MoverFate, SimulationPlan } from './plan.ts';

export interface SimulatedMoversOptions {
  cluster: FakeCluster;
  clock: Clock;
  dice: Dice;
  ledger: Ledger;
  plan: SimulationPlan;
  violated(text: string): void;
}

/** The movers in all hosting pods: one process per pod, from its start to its end. */
export class SimulatedMovers {
  readonly #options: SimulatedMoversOptions;
  readonly #processes = new Map<string, AbortController>();
  readonly #attempts = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: SimulatedMoversOptions) {
    this.#options = options;
  }

  /** The container of the pod has been started. */
  start(pod: Pod): void {
    const { plan, reactionMsMax, ...ports } = { ...this.#options, reactionMsMax: this.#options.plan.reactionMsMax };
    const name = pod.metadata.name ?? '';
    const movementPlan = plan.movements.find((each) => each.name === name);
    if (movementPlan === undefined) return;
    const attempt = this.#attempts.get(name) ?? 0;
    this.#attempts.set(name, attempt + 1);
    const fate: MoverFate = movementPlan.fates[attempt] ?? 'complete';
    const life = new AbortController();
    this.#processes.set(pod.metadata.uid ?? '', life);
    const movement = () => this.#movementOf(pod);
    const mover = {
      ...ports,
      plan: movementPlan,
      fate,
      reactionMsMax,
      movement,
      changed: (signal: AbortSignal) => this.#changed(name, signal),
    };
    void runMover(mover, pod, life.signal);
  }

  /** The process ends without a word. */
  end(podUid: string): void {
    this.#processes.get(podUid)?.abort(new Error('the mover is gone'));
    this.#processes.delete(podUid);
  }

  endAll(): void {
    for (const podUid of [...this.#processes.keys()]) this.end(podUid);
  }

  /** A movement has changed; who waits for it looks again. */
  wake(name: string): void {
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    for (const resolve of waiting ?? []) resolve();
  }

  #changed(name: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#waiting.set(name, (this.#waiting.get(name) ?? new Set()).add(resolve));
    });
  }

  #movementOf(pod: Pod): DataUpload | DataDownload | undefined {
    const owner = pod.metadata.ownerReferences?.[0];
    const key = { namespace: pod.metadata.namespace, name: owner?.name ?? '' };
    const { cluster } = this.#options;
    const movement =
      owner?.kind === 'DataUpload' ? cluster.find(dataUploadType, key) : cluster.find(dataDownloadType, key);
    return movement?.metadata.uid === owner?.uid ? movement : undefined;
  }
}
