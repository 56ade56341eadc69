import type { Node } from '@lateen/api-types';
import type {
  Backup,
  BackupTarget,
  InstanceManager,
  LonghornNode,
  Setting,
  Volume,
  VolumeSpec,
} from '@lateen/storage-types';

export const namespace = 'longhorn-system';
export const image = 'localhost/lateen-storage:dev';
const apiVersion = 'longhorn.io/v1beta2';
export const GiB = 1024 ** 3;

const holds = (type: string, status = 'True') => ({
  type,
  status: status as 'True',
  reason: '',
  message: '',
  lastProbeTime: '',
  lastTransitionTime: '',
});

/** A node of Kubernetes as its kubelet reports it. */
export const aKubernetesNode = (name: string, ready = 'True'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: ready }] },
});

/** A node as its controller would write it: one disk with room for everything. */
export const aStorageNode = (name: string, ready = 'True'): LonghornNode => ({
  apiVersion,
  kind: 'Node',
  metadata: { name, namespace },
  spec: {
    name,
    allowScheduling: true,
    disks: { main: { diskType: 'filesystem', path: '/var/lib/longhorn', allowScheduling: true, storageReserved: 0 } },
  },
  status: {
    zone: '',
    conditions: [holds('Ready', ready), holds('Schedulable')],
    diskStatus: {
      main: {
        conditions: [holds('Ready'), holds('Schedulable')],
        diskUUID: `disk-of-${name}`,
        diskPath: '/var/lib/longhorn',
        storageAvailable: 100_000 * GiB,
        storageMaximum: 100_000 * GiB,
        storageScheduled: 0,
      },
    },
  },
});

export const anInstanceManager = (node: string): InstanceManager => ({
  apiVersion,
  kind: 'InstanceManager',
  metadata: { name: `instance-manager-${node}`, namespace },
  spec: { image, nodeID: node, type: 'aio' },
  status: { ownerID: node, currentState: 'running', ip: node },
});

export const aVolume = (name: string, spec: Partial<VolumeSpec> = {}): Volume => ({
  apiVersion,
  kind: 'Volume',
  metadata: { name, namespace },
  spec: {
    size: String(GiB),
    numberOfReplicas: 3,
    frontend: 'blockdev',
    image,
    staleReplicaTimeout: 2880,
    dataEngine: 'v1',
    ...spec,
  },
});

export const aSetting = (name: string, value: string): Setting => ({
  apiVersion,
  kind: 'Setting',
  metadata: { name, namespace },
  value,
});

const url = 's3://bucket@here/path/';

/** A target as its controller would write it: available. */
export const aBackupTarget = (available = true): BackupTarget => ({
  apiVersion,
  kind: 'BackupTarget',
  metadata: { name: 'default', namespace },
  spec: { backupTargetURL: url, credentialSecret: '', pollInterval: '5m0s' },
  status: { available },
});

/** The URL of a backup of volume `source` in that target. */
export const backupUrlOf = (backup: string): string => `${url}?backup=${backup}&volume=source`;

/** A complete backup of volume `source`, as synchronized from the target. */
export const aFoundBackup = (name: string, takenAt: string): Backup => ({
  apiVersion,
  kind: 'Backup',
  metadata: { name, namespace, labels: { 'backup-volume': 'source', 'backup-target': 'default' } },
  spec: {},
  status: {
    state: 'Completed',
    volumeName: 'source',
    volumeSize: String(GiB),
    snapshotCreatedAt: takenAt,
    url: backupUrlOf(name),
  },
});
