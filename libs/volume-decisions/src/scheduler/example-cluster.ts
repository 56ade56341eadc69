import type { ClusterFacts, DiskFacts, NodeFacts } from './cluster-facts.ts';
import type { PlacedReplica, SchedulerSettings, VolumeFacts } from './place-request.ts';

const GiB = 1024n ** 3n;

/** Facts for tests, which state only the relevant fields. */
export const aDisk = (name: string, parts: Partial<DiskFacts> = {}): DiskFacts => ({
  name,
  diskID: `uuid-${name}`,
  path: `/var/lib/longhorn/${name}`,
  schedulable: true,
  allowScheduling: true,
  evictionRequested: false,
  tags: [],
  storageMaximum: 100n * GiB,
  storageAvailable: 100n * GiB,
  storageReserved: 0n,
  storageScheduled: 0n,
  ...parts,
});

export const aNode = (name: string, parts: Partial<NodeFacts> = {}): NodeFacts => ({
  name,
  zone: '',
  ready: true,
  schedulable: true,
  allowScheduling: true,
  evictionRequested: false,
  autoEvicting: false,
  cordoned: false,
  managerIsUp: true,
  engineImages: new Set(['image']),
  tags: [],
  disks: [aDisk(`${name}-a`)],
  ...parts,
});

export const aCluster = (...nodes: NodeFacts[]): ClusterFacts => ({
  nodes: new Map(nodes.map((node) => [node.name, node])),
});

export const aVolume = (parts: Partial<VolumeFacts> = {}): VolumeFacts => ({
  name: 'vol',
  sizeBytes: 10n * GiB,
  actualBytes: 0n,
  image: 'image',
  nodeSelector: [],
  diskSelector: [],
  ...parts,
});

/** A healthy replica on the first disk of `node`. */
export const aReplicaOn = (node: string, parts: Partial<PlacedReplica> = {}): PlacedReplica => ({
  name: `r-${node}`,
  node,
  diskID: `uuid-${node}-a`,
  failed: false,
  mayReturn: false,
  ...parts,
});

/** The settings of a new installation. */
export const usualSettings: SchedulerSettings = {
  overProvisioningPercentage: 100,
  minimalAvailablePercentage: 25,
  disableSchedulingOnCordonedNode: true,
  allowEmptyNodeSelector: true,
  allowEmptyDiskSelector: true,
};
