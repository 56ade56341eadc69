import {
  annotations,
  labels,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  podType,
  storageClassType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

export type KubeletBehaviour = 'run' | 'hold' | 'imageMissing' | 'unschedulable';

/** The scheduler and the kubelets, for hosting pods. */
export class KubeletActor {
  readonly #cluster: FakeCluster;
  behaviour: KubeletBehaviour = 'run';
  /** The node for a pod without a node selector. */
  node = 'node-1';

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  react(): boolean {
    return this.#cluster
      .all(podType)
      .filter((pod) => pod.metadata.labels?.[labels.exposerPodGroup] !== undefined)
      .map((pod) => this.#place(pod))
      .includes(true);
  }

  #place(pod: Pod): boolean {
    const gates = pod.spec.schedulingGates as readonly unknown[] | undefined;
    // A pod with spec.nodeName is not scheduled.
    const named = pod.spec.nodeName;
    const isBegun = named !== undefined && pod.status?.containerStatuses !== undefined;
    if (isBegun || gates?.length || this.behaviour === 'hold') return false;
    if (named === undefined && this.behaviour === 'unschedulable') return this.#refuse(pod);
    const node = named ?? pod.spec.nodeSelector?.['kubernetes.io/hostname'] ?? this.node;
    const claimName = pod.spec.volumes?.find((each) => each.persistentVolumeClaim)?.persistentVolumeClaim?.claimName;
    if (claimName !== undefined) {
      const claim = this.#cluster.find(persistentVolumeClaimType, {
        namespace: pod.metadata.namespace,
        name: claimName,
      });
      if (claim === undefined) return false;
      if (claim.status?.phase !== 'Bound') return this.#selectNode(claim, node);
    }
    if (this.behaviour === 'imageMissing') {
      const waiting = { reason: 'ErrImageNeverPull', message: 'image is not present with pull policy of Never' };
      this.#cluster.setPodPhase(keyOf(pod), 'Pending', { nodeName: node, waiting });
    } else {
      this.#cluster.setPodPhase(keyOf(pod), 'Running', { nodeName: node });
    }
    return true;
  }

  #selectNode(claim: PersistentVolumeClaim, node: string): boolean {
    const storageClass = this.#cluster.find(storageClassType, { name: claim.spec.storageClassName ?? '' });
    const known = claim.metadata.annotations?.[annotations.selectedNode];
    if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer' || known !== undefined) return false;
    this.#cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(claim), (object) => {
      object.metadata.annotations = { ...object.metadata.annotations, [annotations.selectedNode]: node };
    });
    return true;
  }

  #refuse(pod: Pod): boolean {
    if (pod.status?.conditions !== undefined) return false;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/1 nodes are available',
    };
    this.#cluster.setPodPhase(keyOf(pod), 'Pending', { conditions: [condition] });
    return true;
  }
}
