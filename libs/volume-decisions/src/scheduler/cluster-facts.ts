/** One disk of a node as the scheduler sees it. Sizes in bytes; the scheduled amount counts whole volume sizes, failed replicas included. */
export interface DiskFacts {
  /** Its key in the `spec.disks` of the node. */
  readonly name: string;
  /** `status.diskStatus[name].diskUUID`; what a Replica names in `spec.diskID`. */
  readonly diskID: string;
  readonly path: string;
  /** Its condition Schedulable. */
  readonly schedulable: boolean;
  readonly allowScheduling: boolean;
  readonly evictionRequested: boolean;
  readonly tags: readonly string[];
  readonly storageMaximum: bigint;
  readonly storageAvailable: bigint;
  readonly storageReserved: bigint;
  readonly storageScheduled: bigint;
}

/** One node as the scheduler sees it: the `longhorn.io` Node, the node of Kubernetes and what runs there. */
export interface NodeFacts {
  readonly name: string;
  /** An empty zone "" counts as a zone like any other. */
  readonly zone: string;
  /** Its conditions Ready and Schedulable. */
  readonly ready: boolean;
  readonly schedulable: boolean;
  readonly allowScheduling: boolean;
  /** A person has requested its eviction. */
  readonly evictionRequested: boolean;
  /** It is cordoned, and replicas leave it according to `node-drain-policy`: all of them, or only last healthy ones (`status.autoEvicting`). */
  readonly autoEvicting: boolean;
  /** `spec.unschedulable` of the Kubernetes Node. */
  readonly cordoned: boolean;
  /** The manager of the node renews its lease. */
  readonly managerIsUp: boolean;
  /** Engine images whose instance manager runs there (`EngineImage.status.nodeDeploymentMap`). */
  readonly engineImages: ReadonlySet<string>;
  readonly tags: readonly string[];
  readonly disks: readonly DiskFacts[];
}

/** No new replica is placed on it. */
export const isBeingEmptied = ({ evictionRequested, autoEvicting }: NodeFacts): boolean =>
  evictionRequested || autoEvicting;

/** All nodes by name. */
export interface ClusterFacts {
  readonly nodes: ReadonlyMap<string, NodeFacts>;
}

export function diskOf(cluster: ClusterFacts, node: string, diskID: string): DiskFacts | undefined {
  return cluster.nodes.get(node)?.disks.find((disk) => disk.diskID === diskID);
}
