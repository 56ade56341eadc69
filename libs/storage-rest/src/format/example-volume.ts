import type { Backup, Engine, Replica, Volume, VolumeAttachmentObject } from '@lateen/storage-types';
import { condition, object } from './example-object.ts';
import type { VolumeSeenByApi } from './volume/volume-seen.ts';

const volume = object<Volume>('Volume', 'pvc-1', {
  spec: {
    size: '10737418240',
    frontend: 'blockdev',
    nodeID: 'node-1',
    numberOfReplicas: 2,
    image: 'lateen:dev',
    dataEngine: 'v1',
    dataLocality: 'disabled',
    staleReplicaTimeout: 2880,
    accessMode: 'rwo',
    Standby: false,
    backupBlockSize: '2097152',
    snapshotMaxCount: 250,
    snapshotMaxSize: '0',
    backupTargetName: 'default',
    nodeSelector: ['fast'],
    dataLayout: { type: 'replicated', mode: '' },
  },
  status: {
    ownerID: 'node-1',
    state: 'attached',
    robustness: 'degraded',
    currentNodeID: 'node-1',
    currentImage: 'lateen:dev',
    conditions: [condition('Scheduled')],
    lastBackup: 'backup-0123456789abcdef',
    lastBackupAt: '2026-11-23T03:00:00Z',
    kubernetesStatus: {
      pvName: 'pvc-1',
      pvStatus: 'Bound',
      namespace: 'default',
      pvcName: 'data',
      workloadsStatus: [{ podName: 'web-0', podStatus: 'Running', workloadName: 'web', workloadType: 'StatefulSet' }],
    },
  },
});

const engine = object<Engine>('Engine', 'pvc-1-e-0', {
  spec: {
    active: true,
    volumeName: 'pvc-1',
    volumeSize: '10737418240',
    nodeID: 'node-1',
    image: 'lateen:dev',
    replicaAddressMap: { 'pvc-1-r-aaaaaaaa': '10.0.0.1:10000', 'pvc-1-r-bbbbbbbb': '10.0.0.2:10000' },
  },
  status: {
    currentState: 'running',
    currentImage: 'lateen:dev',
    instanceManagerName: 'instance-manager-1',
    ip: '10.0.0.1',
    storageIP: '10.0.0.1',
    currentSize: '10737418240',
    endpoint: '/dev/longhorn/pvc-1',
    replicaModeMap: { 'pvc-1-r-aaaaaaaa': 'RW', 'pvc-1-r-bbbbbbbb': 'WO' },
    snapshots: {
      'volume-head': { name: 'volume-head', parent: 'snap-1', children: {}, size: '4096', created: '', labels: null },
      'snap-1': {
        name: 'snap-1',
        parent: '',
        children: { 'volume-head': true },
        usercreated: true,
        size: '8192',
        created: '2026-11-23T03:00:00Z',
        labels: { by: 'test' },
      },
    },
    purgeStatus: { 'tcp://10.0.0.1:10000': { isPurging: false, progress: 100, state: 'complete' } },
    restoreStatus: { 'tcp://10.0.0.1:10000': { isRestoring: false, lastRestored: 'backup-1', state: 'complete' } },
    rebuildStatus: {
      'tcp://10.0.0.2:10000': {
        isRebuilding: true,
        progress: 40,
        state: 'in_progress',
        fromReplicaAddressList: ['tcp://10.0.0.1:10000'],
      },
    },
  },
});

const replica = (suffix: string, node: string) =>
  object<Replica>('Replica', `pvc-1-r-${suffix}`, {
    spec: {
      volumeName: 'pvc-1',
      nodeID: node,
      image: 'lateen:dev',
      dataEngine: 'v1',
      diskID: `disk-${node}`,
      diskPath: '/var/lib/longhorn/',
      dataDirectoryName: `pvc-1-${suffix}`,
    },
    status: {
      currentState: 'running',
      currentImage: 'lateen:dev',
      instanceManagerName: 'instance-manager-1',
      storageIP: '10.0.0.1',
    },
  });

export const exampleBackup = object<Backup>('Backup', 'backup-0123456789abcdef', {
  spec: { snapshotName: 'snap-1', backupMode: 'incremental', backupBlockSize: '2097152' },
  status: {
    state: 'Completed',
    progress: 100,
    url: 's3://bucket@region/?backup=backup-0123456789abcdef&volume=pvc-1',
    snapshotName: 'snap-1',
    replicaAddress: 'tcp://10.0.0.1:10000',
    size: '8192',
    volumeName: 'pvc-1',
    volumeSize: '10737418240',
    backupTargetName: 'default',
    labels: { KubernetesStatus: '{}' },
  },
});

const attachment = object<VolumeAttachmentObject>('VolumeAttachment', 'pvc-1', {
  spec: {
    volume: 'pvc-1',
    attachmentTickets: {
      'csi-1': { id: 'csi-1', type: 'csi-attacher', nodeID: 'node-1', parameters: { disableFrontend: 'false' } },
      'new-1': { id: 'new-1', type: 'longhorn-api', nodeID: 'node-1', generation: 1 },
    },
  },
  status: {
    attachmentTicketStatuses: {
      'csi-1': { id: 'csi-1', satisfied: true, conditions: [condition('Satisfied')], generation: 0 },
      'new-1': { id: 'new-1', satisfied: true, conditions: [], generation: 0 },
    },
  },
});

export const exampleVolume: VolumeSeenByApi = {
  volume,
  engines: [engine],
  replicas: [replica('bbbbbbbb', 'node-2'), replica('aaaaaaaa', 'node-1')],
  backups: [exampleBackup],
  attachment,
};
