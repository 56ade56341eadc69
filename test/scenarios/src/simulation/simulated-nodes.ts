import {
  annotations,
  nodeType,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  podType,
  storageClassType,
} from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';
import { evictClients } from './client-pods.ts';
import type { Dice } from './dice.ts';
import { evictAfterMs, hostingPods, setReady, unreadyAfterMs } from './hosting-pods.ts';
import type { Ledger } from './ledger.ts';
import type { Network } from './network.ts';
import { Partitions, type PartitionsOptions } from './partitions.ts';
import type { SimulatedMovers } from './simulated-movers.ts';
import { Ticker } from './ticker.ts';

export interface SimulatedNodesOptions {
  cluster: FakeCluster;
  clock: Clock;
  dice: Dice;
  ledger: Ledger;
  movers: SimulatedMovers;
  nodes: readonly string[];
  network: Network;
  heard: PartitionsOptions['heard'];
  reactionMsMax: number;
}

/** Time after which the object of a node that never comes back is deleted. */
const takenAwayAfterMs = 8 * 60_000;

const hostname = 'kubernetes.io/hostname';

/** Scheduler, kubelets and the machines, for hosting pods. */
export class SimulatedNodes {
  readonly #options: SimulatedNodesOptions;
  readonly #up: Set<string>;
  readonly #ticker: Ticker;
  readonly partitions: Partitions;

  constructor(options: SimulatedNodesOptions) {
    this.#options = options;
    this.#up = new Set(options.nodes);
    this.#ticker = new Ticker({ ...options, delayMsMax: options.reactionMsMax }, () => this.#look());
    this.partitions = new Partitions({
      ...options,
      isUp: (node) => this.isUp(node),
      remove: (pod) => this.#remove(pod),
      poke: () => this.poke(),
    });
  }

  poke(): void {
    this.#ticker.poke();
  }

  isUp(node: string): boolean {
    return this.#up.has(node);
  }

  /** The kubelet can reach the API server. */
  isWorking(node: string): boolean {
    return this.isUp(node) && !this.#options.network.isCut(node);
  }

  /** Power off. The pods' objects stay as they are until the loss of the node is noticed. */
  async lose(node: string, downMs: number | undefined): Promise<void> {
    const { cluster, clock, movers } = this.#options;
    if (!this.#up.delete(node)) return;
    for (const pod of hostingPods(cluster, node)) movers.end(pod.metadata.uid ?? '');
    void clock.sleep(unreadyAfterMs).then(() => this.#up.has(node) || setReady(cluster, node, 'False'));
    const evicted = downMs === undefined || downMs > evictAfterMs;
    await clock.sleep(evicted ? evictAfterMs : downMs);
    if (evicted) {
      this.#markDeleted(node);
      evictClients(cluster, node, this.#options.ledger);
    }
    if (downMs === undefined) {
      await clock.sleep(takenAwayAfterMs - evictAfterMs);
      cluster.remove(nodeType, { name: node });
      for (const pod of hostingPods(cluster, node)) this.#remove(pod);
      return;
    }
    await clock.sleep(Math.max(downMs - evictAfterMs, 0));
    this.#up.add(node);
    // After a reboot a kubelet finds its pods' containers dead.
    for (const pod of hostingPods(cluster, node)) {
      if (pod.status?.phase !== 'Running') continue;
      this.#lost(pod);
      cluster.setPodPhase(keyOf(pod), 'Failed', { exitCode: 255, containerReason: 'Unknown' });
    }
    this.poke();
  }

  /** `kubectl delete pod`, and an eviction by the API. */
  deletePod(name: string): void {
    const pod = hostingPods(this.#options.cluster).find((each) => each.metadata.name === name);
    if (pod !== undefined) this.#remove(pod);
  }

  /** The kubelet evicts the pod because the node is short of a resource. */
  evictPod(name: string): void {
    const pod = hostingPods(this.#options.cluster).find((each) => each.metadata.name === name);
    if (pod?.status?.phase !== 'Running' || !this.isWorking(pod.spec.nodeName ?? '')) return;
    this.#options.movers.end(pod.metadata.uid ?? '');
    this.#lost(pod);
    const end = { exitCode: 137, containerReason: 'Error', reason: 'Evicted', message: 'The node was low on memory.' };
    this.#options.cluster.setPodPhase(keyOf(pod), 'Failed', end);
  }

  #lost(pod: Pod): void {
    this.#options.ledger.lose(pod.metadata.ownerReferences?.[0]?.uid ?? '');
  }

  #remove(pod: Pod): void {
    const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    if (!ended) this.#lost(pod);
    this.#options.cluster.remove(podType, keyOf(pod));
  }

  #markDeleted(node: string): void {
    const { cluster, clock } = this.#options;
    for (const pod of hostingPods(cluster, node)) {
      cluster.change<Pod>(podType, keyOf(pod), (object) => {
        object.metadata.deletionTimestamp = new Date(clock.now()).toISOString();
      });
    }
  }

  /** Does one step for each pod that is ready for one; some pods randomly wait longer. */
  #look(): boolean {
    const pods = hostingPods(this.#options.cluster);
    const acted = pods.map((pod) => {
      const isDue = pod.status?.phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined;
      if (this.#options.dice.chance(0.2)) return isDue;
      return this.#advance(pod);
    });
    return acted.includes(true);
  }

  #advance(pod: Pod): boolean {
    const { cluster, movers } = this.#options;
    const node = pod.spec.nodeName;
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (node === undefined || !this.isWorking(node)) return false;
      this.#remove(pod);
      return true;
    }
    if (pod.status?.phase !== 'Pending') return false;
    if (node === undefined) {
      const claim = cluster.find(persistentVolumeClaimType, {
        namespace: pod.metadata.namespace,
        name: pod.metadata.name ?? '',
      });
      return claim !== undefined && this.#place(pod, claim);
    }
    if (!this.isWorking(node)) return false;
    cluster.setPodPhase(keyOf(pod), 'Running');
    movers.start(pod);
    return true;
  }

  #place(pod: Pod, claim: PersistentVolumeClaim): boolean {
    const { cluster, dice } = this.#options;
    const gates = pod.spec.schedulingGates as readonly unknown[] | undefined;
    if (gates !== undefined && gates.length > 0) return false;
    const nodes = this.#nodesFor(pod, claim);
    if (nodes.length === 0) return false;
    const node = dice.pick(nodes);
    if (claim.status?.phase === 'Bound') {
      cluster.setPodPhase(keyOf(pod), 'Pending', { nodeName: node });
      return true;
    }
    const storageClass = cluster.find(storageClassType, { name: claim.spec.storageClassName ?? '' });
    const selected = claim.metadata.annotations?.[annotations.selectedNode];
    if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer' || selected !== undefined) return false;
    cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(claim), (object) => {
      object.metadata.annotations = { ...object.metadata.annotations, [annotations.selectedNode]: node };
    });
    return true;
  }

  #nodesFor(pod: Pod, claim: PersistentVolumeClaim): string[] {
    const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    const byAffinity = terms
      ?.flatMap((term) => term.matchExpressions ?? [])
      .find(({ key }) => key === hostname)?.values;
    const bySelector = pod.spec.nodeSelector?.[hostname];
    const byClaim = claim.metadata.annotations?.[annotations.selectedNode];
    return [...this.#up].filter(
      (node) =>
        !this.#options.network.isCut(node) &&
        (byAffinity === undefined || byAffinity.includes(node)) &&
        (bySelector === undefined || bySelector === node) &&
        (byClaim === undefined || byClaim === node),
    );
  }
}
