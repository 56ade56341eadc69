import type { KubeObject } from '@lateen/kube';
import { longhornNamespace } from '@lateen/storage-types';

/** An object of longhorn.io in the storage namespace. */
export const storageObject = (kind: string, name: string, parts: object = {}): KubeObject => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind,
  metadata: { name, namespace: longhornNamespace },
  ...parts,
});

const ready = [{ type: 'Ready', status: 'True', reason: '', message: '', lastProbeTime: '', lastTransitionTime: '' }];

export const aStorageNode = (name: string, parts: { spec?: object; status?: object } = {}): KubeObject =>
  storageObject('Node', name, {
    spec: {
      name,
      allowScheduling: true,
      evictionRequested: false,
      tags: ['fast'],
      disks: {
        default: {
          diskType: 'filesystem',
          path: '/var/lib/longhorn/',
          allowScheduling: true,
          storageReserved: 0,
          tags: ['ssd'],
        },
      },
      ...parts.spec,
    },
    status: {
      conditions: ready,
      diskStatus: { default: { diskUUID: `disk-${name}`, scheduledReplica: {} } },
      ...parts.status,
    },
  });

/** A volume with engine, replica and attachment tickets. */
export function aVolume(
  name: string,
  {
    spec = {},
    status = {},
    engine = {},
    labels = {},
  }: { spec?: object; status?: object; engine?: object; labels?: Record<string, string> } = {},
): KubeObject[] {
  const ofVolume = { labels: { longhornvolume: name } };
  const engineObject = storageObject('Engine', `${name}-e-0`, {
    spec: {
      active: true,
      volumeName: name,
      nodeID: 'node-1',
      replicaAddressMap: { [`${name}-r-aaaaaaaa`]: '10.0.0.1:10000' },
    },
    status: {
      currentState: 'running',
      currentSize: '1073741824',
      endpoint: `/dev/longhorn/${name}`,
      replicaModeMap: { [`${name}-r-aaaaaaaa`]: 'RW' },
      snapshots: {
        'volume-head': { name: 'volume-head', parent: 'snap-1', children: {}, size: '4096', created: '', labels: null },
        'snap-1': {
          name: 'snap-1',
          parent: '',
          children: { 'volume-head': true },
          usercreated: true,
          size: '8192',
          created: '2026-11-23T03:00:00Z',
        },
      },
      ...engine,
    },
  });
  const replica = storageObject('Replica', `${name}-r-aaaaaaaa`, {
    spec: {
      volumeName: name,
      nodeID: 'node-1',
      diskID: 'disk-node-1',
      diskPath: '/var/lib/longhorn/',
      dataDirectoryName: `${name}-aaaaaaaa`,
      healthyAt: '2026-11-23T03:00:00Z',
      failedAt: '',
    },
    status: { currentState: 'running' },
  });
  const volume = storageObject('Volume', name, {
    spec: {
      size: '1073741824',
      frontend: 'blockdev',
      numberOfReplicas: 1,
      dataEngine: 'v1',
      accessMode: 'rwo',
      nodeID: 'node-1',
      backupTargetName: 'default',
      staleReplicaTimeout: 2880,
      ...spec,
    },
    status: {
      state: 'attached',
      robustness: 'healthy',
      currentNodeID: 'node-1',
      conditions: [
        { type: 'Scheduled', status: 'True', reason: '', message: '', lastProbeTime: '', lastTransitionTime: '' },
      ],
      ...status,
    },
  });
  volume.metadata.labels = labels;
  const attachment = storageObject('VolumeAttachment', name, { spec: { volume: name, attachmentTickets: {} } });
  const children = [engineObject, replica, attachment];
  for (const child of children) Object.assign(child.metadata, ofVolume);
  return [volume, ...children];
}

/** One of everything that has a collection. */
export const oneOfEach = (): KubeObject[] => [
  aStorageNode('node-1'),
  aStorageNode('node-2', { spec: { tags: ['slow'] } }),
  ...aVolume('pvc-1'),
  storageObject('Snapshot', 'snap-1', {
    spec: { volume: 'pvc-1', createSnapshot: true },
    status: { readyToUse: true, checksum: 'abc' },
  }),
  storageObject('BackupTarget', 'default', {
    spec: { backupTargetURL: 's3://bucket@region/', credentialSecret: 'keys', pollInterval: '5m0s' },
    status: { available: true },
  }),
  storageObject('BackupVolume', 'pvc-1-0a1b2c3d', {
    spec: { volumeName: 'pvc-1', backupTargetName: 'default' },
    status: { size: '1073741824' },
  }),
  {
    ...storageObject('Backup', 'backup-1', {
      spec: { snapshotName: 'snap-1' },
      status: { state: 'Completed', volumeName: 'pvc-1', backupTargetName: 'default' },
    }),
    metadata: { name: 'backup-1', namespace: longhornNamespace, labels: { 'backup-volume': 'pvc-1' } },
  },
  storageObject('RecurringJob', 'nightly', {
    spec: { name: 'nightly', task: 'backup', cron: '0 2 * * *', retain: 7, concurrency: 2, groups: ['default'] },
  }),
  storageObject('EngineImage', 'ei-01234567', {
    spec: { image: 'lateen:dev' },
    status: { state: 'deployed', refCount: 0 },
  }),
  storageObject('InstanceManager', 'instance-manager-1', {
    spec: { nodeID: 'node-1', type: 'aio', dataEngine: 'v1' },
    status: { currentState: 'running' },
  }),
  storageObject('Orphan', 'orphan-1', {
    spec: { nodeID: 'node-1', orphanType: 'replica', dataEngine: 'v1', parameters: { DataName: 'pvc-9-00000000' } },
  }),
  storageObject('Setting', 'default-replica-count', { value: '{"v1":"2","v2":"2"}', status: { applied: true } }),
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'pvc-1.17', namespace: longhornNamespace },
    ...{ type: 'Warning', reason: 'Degraded', involvedObject: { kind: 'Volume', name: 'pvc-1' } },
  },
];
