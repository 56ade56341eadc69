import type { Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { FakeCluster } from '@lateen/testing';
import { evictClients } from './client-pods.ts';
import { evictAfterMs, hostingPods, setReady, unreadyAfterMs } from './hosting-pods.ts';
import type { Ledger } from './ledger.ts';
import type { Network } from './network.ts';
import type { SimulatedMovers } from './simulated-movers.ts';

export interface PartitionsOptions {
  cluster: FakeCluster;
  clock: Clock;
  network: Network;
  movers: SimulatedMovers;
  ledger: Ledger;
  isUp(node: string): boolean;
  /** Deletes the pod object. */
  remove(pod: Pod): void;
  /** Makes the pods of a node unready when it stops reporting; called also when it reports again. */
  heard(node: string, isHeard: boolean): void;
  /** A kubelet can reach the API server again and has work. */
  poke(): void;
}

/** Cut networks, and the processes that keep running behind them. */
export class Partitions {
  readonly #options: PartitionsOptions;
  /** Processes whose pods are gone and that no kubelet can end: the node by the pod's uid. */
  readonly #undead = new Map<string, string>();

  constructor(options: PartitionsOptions) {
    this.#options = options;
  }

  /** The pod object was deleted; its process ends when the kubelet can end it. */
  podDeleted(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const node = pod.spec.nodeName ?? '';
    const { ledger, movers, network } = this.#options;
    if (!network.of(node, uid).isCut()) {
      movers.end(uid);
      return;
    }
    this.#undead.set(uid, node);
    const mover = ledger.running.get(uid);
    if (mover !== undefined) mover.hasPod = false;
  }

  /** Everything on the node of this pod keeps running, and receives nothing. */
  async cutNodeOf(name: string, forMs: number): Promise<void> {
    const { clock, cluster, network, isUp, heard, poke } = this.#options;
    const node = this.#pod(name)?.spec.nodeName;
    if (node === undefined || !isUp(node) || network.isCut(node)) return;
    network.cut(node);
    const unready = forMs > unreadyAfterMs;
    await clock.sleep(unready ? unreadyAfterMs : forMs);
    if (unready) await this.#unheard(node, forMs);
    network.heal(node);
    if (!isUp(node)) return;
    this.#endUndead((each) => each === node);
    setReady(cluster, node, 'True');
    if (unready) heard(node, true);
    poke();
  }

  async #unheard(node: string, forMs: number): Promise<void> {
    const { clock, cluster, isUp, heard, remove } = this.#options;
    if (isUp(node)) {
      setReady(cluster, node, 'False');
      heard(node, false);
    }
    const evicts = forMs > evictAfterMs;
    await clock.sleep((evicts ? evictAfterMs : forMs) - unreadyAfterMs);
    if (!evicts) return;
    // A pod without a grace period is gone as soon as it is deleted.
    if (isUp(node)) for (const pod of hostingPods(cluster, node)) remove(pod);
    evictClients(cluster, node, this.#options.ledger);
    await clock.sleep(forMs - evictAfterMs);
  }

  /** Cuts only the pod's network, and its kubelet cannot end it. */
  async cutPod(name: string, forMs: number): Promise<void> {
    const { clock, network } = this.#options;
    const uid = this.#pod(name)?.metadata.uid;
    if (uid === undefined) return;
    network.cut(uid);
    await clock.sleep(forMs);
    network.heal(uid);
    this.#endUndead((node, each) => each === uid && !network.isCut(node));
  }

  #pod(name: string): Pod | undefined {
    return hostingPods(this.#options.cluster).find((each) => each.metadata.name === name);
  }

  #endUndead(which: (node: string, uid: string) => boolean): void {
    for (const [uid, node] of [...this.#undead]) {
      if (!which(node, uid) || this.#options.network.isCut(uid)) continue;
      this.#undead.delete(uid);
      this.#options.movers.end(uid);
    }
  }
}
