import type { Node } from '@lateen/api-types';
import type { DiskFacts as FoundDisk, HostInfo } from '@lateen/block-engine';
import type { DiskSpec, LonghornNode, LonghornNodeStatus } from '@lateen/storage-types';

const GiB = 1024n ** 3n;

/** The objects of one node for tests, which state only the relevant fields. */
export const aLonghornNode = (
  disks: Record<string, DiskSpec> = {},
  status: LonghornNodeStatus = {},
  name = 'n1',
): LonghornNode => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Node',
  metadata: { name, namespace: 'longhorn-system' },
  spec: { name, disks, allowScheduling: true, evictionRequested: false, tags: [] },
  status,
});

type Parts = { unschedulable?: boolean; conditions?: Record<string, string>; metadata?: Partial<Node['metadata']> };

/** A Kubernetes node that is Ready. */
export const aKubernetesNode = ({ unschedulable = false, conditions = {}, metadata }: Parts = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', ...metadata },
  spec: { unschedulable },
  status: {
    conditions: Object.entries({ Ready: 'True', ...conditions }).map(([type, status]) => ({ type, status })),
  },
});

export const aDiskSpec = (path: string, parts: Partial<DiskSpec> = {}): DiskSpec => ({
  path,
  diskType: 'filesystem',
  allowScheduling: true,
  evictionRequested: false,
  storageReserved: 0,
  tags: [],
  ...parts,
});

/** A registered, empty disk with its own file system. */
export const aFoundDisk = (path: string, parts: Partial<FoundDisk> = {}): FoundDisk => ({
  path,
  uuid: `uuid-of-${path}`,
  filesystemId: `fs-of-${path}`,
  filesystemType: 'xfs',
  maximumBytes: 100n * GiB,
  availableBytes: 80n * GiB,
  directIo: true,
  sparseFiles: true,
  ...parts,
});

export const aHost = (parts: Partial<HostInfo> = {}): HostInfo => ({
  apiMin: 1,
  apiMax: 1,
  version: '1',
  node: 'n1',
  qsdVersion: '7.2.22',
  frontends: ['nbd'],
  probes: [],
  disks: [],
  ...parts,
});
