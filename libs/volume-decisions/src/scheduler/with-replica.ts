import type { ClusterFacts, DiskFacts } from './cluster-facts.ts';

/** The cluster with `sizeBytes` more promised on one disk; a negative value subtracts. An unknown disk changes nothing. */
export function withReplica(
  cluster: ClusterFacts,
  at: { readonly node: string; readonly diskID: string },
  sizeBytes: bigint,
): ClusterFacts {
  const node = cluster.nodes.get(at.node);
  if (node === undefined) return cluster;
  const counted = (disk: DiskFacts): DiskFacts =>
    disk.diskID === at.diskID ? { ...disk, storageScheduled: disk.storageScheduled + sizeBytes } : disk;
  return { nodes: new Map(cluster.nodes).set(node.name, { ...node, disks: node.disks.map(counted) }) };
}
