import type { KubeObject } from '@lateen/api-types';
import type {
  BackupTarget,
  BackupVolume,
  EngineImage,
  InstanceManager,
  LonghornNode,
  Orphan,
  RecurringJob,
  Snapshot,
} from '@lateen/storage-types';
import { condition, object } from './example-object.ts';

export const exampleNode = object<LonghornNode>('Node', 'node-1', {
  spec: {
    allowScheduling: true,
    evictionRequested: false,
    tags: ['fast'],
    disks: {
      default: {
        diskType: 'filesystem',
        path: '/var/lib/longhorn/',
        allowScheduling: true,
        storageReserved: 5,
        tags: [],
      },
    },
  },
  status: {
    zone: 'a',
    conditions: [condition('Ready')],
    diskStatus: {
      default: {
        conditions: [condition('Schedulable')],
        storageAvailable: 314_572_801,
        storageScheduled: 10_737_418_240,
        storageMaximum: 53_687_091_200,
        scheduledReplica: { 'pvc-1-r-aaaaaaaa': 10_737_418_240 },
        diskUUID: 'disk-node-1',
      },
    },
  },
});

export const exampleSnapshot = object<Snapshot>('Snapshot', 'snap-1', {
  spec: { volume: 'pvc-1', createSnapshot: true },
  status: { parent: '', children: { 'volume-head': true }, size: 8192, restoreSize: 10_737_418_240, readyToUse: true },
});

export const exampleTarget = object<BackupTarget>('BackupTarget', 'default', {
  spec: { backupTargetURL: 's3://bucket@region/', credentialSecret: 'keys', pollInterval: '300s' },
  status: {
    available: false,
    conditions: [{ type: 'Unavailable', status: 'True', message: 'backup target URL is empty' }],
  },
});

export const exampleBackupVolume = object<BackupVolume>('BackupVolume', 'pvc-1-0a1b2c3d', {
  spec: { volumeName: 'pvc-1', backupTargetName: 'default' },
  status: { size: '10737418240', dataStored: '8192', lastBackupName: 'backup-0123456789abcdef' },
});

export const exampleJob = object<RecurringJob>('RecurringJob', 'nightly', {
  spec: { name: 'nightly', task: 'backup', cron: '0 2 * * *', retain: 7, concurrency: 2, groups: ['default'] },
  status: { ownerID: 'node-1', executionCount: 3 },
});

export const exampleImage = object<EngineImage>('EngineImage', 'ei-01234567', {
  spec: { image: 'lateen:dev' },
  status: {
    ownerID: 'node-1',
    state: 'deployed',
    refCount: 3,
    nodeDeploymentMap: { 'node-1': true },
    conditions: [condition('ready')],
  },
});

export const exampleInstanceManager = object<InstanceManager>('InstanceManager', 'instance-manager-1', {
  spec: { image: 'lateen:dev', nodeID: 'node-1', type: 'aio', dataEngine: 'v1' },
  status: {
    currentState: 'running',
    instanceEngines: {
      'pvc-1-e-0': {
        spec: { name: 'pvc-1-e-0', dataEngine: 'v1' },
        status: { state: 'running', type: 'engine', portStart: 10_001, portEnd: 10_001 },
      },
    },
  },
});

export const exampleOrphan = object<Orphan>('Orphan', 'orphan-1', {
  spec: { nodeID: 'node-1', orphanType: 'replica', dataEngine: 'v1', parameters: { DataName: 'pvc-9-00000000' } },
});

export const exampleEvent = object<KubeObject>('Event', 'pvc-1.17', { type: 'Warning', reason: 'Degraded' });
