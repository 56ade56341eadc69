import type { Node } from '@lateen/api-types';
import type { Replica, Setting } from '@lateen/storage-types';
import { aNode } from '@lateen/testing';

export const namespace = 'longhorn-system';
export const GiB = 1024 ** 3;

export const aStorageNode = (name: string, parts: Partial<Node['metadata']> = {}): Node => {
  const node = aNode({ name });
  return {
    ...node,
    metadata: {
      ...node.metadata,
      ...parts,
      labels: { 'topology.kubernetes.io/zone': `zone-${name}`, ...parts.labels },
    },
    spec: {},
    status: { ...node.status, allocatable: { cpu: '4' } },
  };
};

/** A healthy replica of 10 GiB. */
export const replicaOf = (name: string, volumeName: string, nodeID: string, diskID = ''): Replica => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Replica',
  metadata: { name, namespace },
  spec: {
    volumeName,
    nodeID,
    diskID,
    volumeSize: `${10 * GiB}`,
    dataDirectoryName: name,
    healthyAt: '2030-01-01T00:00:00Z',
  },
});

export const aSetting = (name: string, value: string): Setting => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Setting',
  metadata: { name, namespace },
  value,
});
