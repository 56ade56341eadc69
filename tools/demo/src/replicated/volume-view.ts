import type { Clock } from '@lateen/kernel';
import { type KubeApi, type ObjectKey, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import {
  longhornNamespace,
  type Replica,
  type Robustness,
  replicaType,
  storageLabels,
  type Volume,
  volumeType,
} from '@lateen/storage-types';

/** The replicas of the volume at one moment of the journey. */
export interface ReplicaPlaces {
  when: string;
  /** Time since the first record. */
  atMs: number;
  robustness: string;
  /** One line for each replica. */
  replicas: readonly string[];
}

/** One volume with its replicas, from the API. */
export class VolumeView {
  readonly volume: string;
  readonly noted: ReplicaPlaces[] = [];
  readonly #ports: { kube: KubeApi; clock: Clock };
  #startedMs: number | undefined;

  constructor(volume: string, ports: { kube: KubeApi; clock: Clock }) {
    this.volume = volume;
    this.#ports = ports;
  }

  /** Resolves when the volume is attached and has that robustness. @throws the signal's reason */
  async until(robustness: Robustness, signal: AbortSignal): Promise<void> {
    const { kube, clock } = this.#ports;
    await waitForObject<Volume, true>({
      api: kube,
      type: volumeType,
      key: this.#key,
      clock,
      signal,
      until: (seen) => (seen?.status?.state === 'attached' && seen.status.robustness === robustness ? true : undefined),
    });
  }

  async note(when: string, signal: AbortSignal): Promise<void> {
    const { kube, clock } = this.#ports;
    const labelSelector = `${storageLabels.volume}=${this.volume}`;
    const [seen, { items }] = await Promise.all([
      readObject(kube, volumeType, this.#key, signal),
      kube.list<Replica>(replicaType, { namespace: this.#key.namespace ?? '', labelSelector, signal }),
    ]);
    this.#startedMs ??= clock.monotonicMs();
    this.noted.push({
      when,
      atMs: clock.monotonicMs() - this.#startedMs,
      robustness: seen?.status?.robustness ?? 'gone',
      replicas: items.map(placeOf).toSorted(),
    });
  }

  get #key(): ObjectKey {
    return { namespace: longhornNamespace, name: this.volume };
  }
}

function placeOf({ spec, status }: Replica): string {
  const state = status?.currentState ?? 'unknown';
  return `${spec.nodeID === undefined || spec.nodeID === '' ? 'no node yet' : spec.nodeID}: ${(spec.failedAt ?? '') === '' ? state : 'failed'}`;
}
