import type { KubeObject } from '@lateen/api-types';
import {
  type Engine,
  type InstanceManager,
  type LonghornNode,
  type LonghornNodeStatus,
  longhornNamespace,
  type Replica,
  storageAnnotations,
  storageLabels,
  type Volume,
  type VolumeAttachmentObject,
} from '@lateen/storage-types';

const apiVersion = 'longhorn.io/v1beta2';
export const image = 'localhost/lateen-storage:dev';
const GiB = 1024 ** 3;

/** An object of the volume manager with defaults; tests set only the fields that matter. */
export function storageObject<T extends KubeObject>(kind: string, name: string, parts: Record<string, unknown>): T {
  const { metadata, ...rest } = parts as { metadata?: object };
  const base = { name, namespace: longhornNamespace, uid: `uid-${name}`, creationTimestamp: '2030-01-01T00:00:00Z' };
  return { apiVersion, kind, metadata: { ...base, ...metadata }, ...rest } as unknown as T;
}

const ofVolume = { labels: { [storageLabels.volume]: 'vol' } };
const holds = (type: string, status = 'True', reason = '', message = '') => ({ type, status, reason, message });

/** Attached to node-1, healthy, of 10 GiB with three replicas. */
export const aVolume = (spec: Volume['spec'] = {}, status: Volume['status'] = {}, metadata = {}): Volume =>
  storageObject<Volume>('Volume', 'vol', {
    metadata: { ...ofVolume, ...metadata },
    spec: {
      size: String(10 * GiB),
      numberOfReplicas: 3,
      frontend: 'blockdev',
      nodeID: 'node-1',
      image,
      dataEngine: 'v1',
      dataLocality: 'disabled',
      accessMode: 'rwo',
      staleReplicaTimeout: 2880,
      backupTargetName: 'default',
      ...spec,
    },
    status: {
      ownerID: 'node-1',
      state: 'attached',
      robustness: 'healthy',
      currentNodeID: 'node-1',
      actualSize: 3 * GiB,
      conditions: [holds('Scheduled')],
      kubernetesStatus: {
        namespace: 'shop',
        pvcName: 'data',
        workloadsStatus: [{ podName: 'db-0', podStatus: 'Running' }],
      },
      ...status,
    },
  });

const addresses = { 'vol-r-1': '10.0.0.1:10000', 'vol-r-2': '10.0.0.2:10000', 'vol-r-3': '10.0.0.3:10000' };

export const anEngine = (spec: Engine['spec'] = {}, status: Engine['status'] = {}, annotations = {}): Engine =>
  storageObject<Engine>('Engine', 'vol-e-0', {
    metadata: { ...ofVolume, annotations: { [storageAnnotations.generation]: '4', ...annotations } },
    spec: {
      active: true,
      volumeName: 'vol',
      volumeSize: String(10 * GiB),
      nodeID: 'node-1',
      image,
      desireState: 'running',
      replicaAddressMap: addresses,
      ...spec,
    },
    status: {
      currentState: 'running',
      started: true,
      endpoint: '/dev/longhorn/vol',
      currentSize: String(10 * GiB),
      replicaModeMap: { 'vol-r-1': 'RW', 'vol-r-2': 'RW', 'vol-r-3': 'RW' },
      snapshots: {
        'volume-head': { name: 'volume-head', parent: 'snap-b', size: String(GiB) },
        'snap-b': {
          name: 'snap-b',
          parent: 'snap-a',
          size: String(GiB / 2),
          usercreated: true,
          removed: true,
          children: { 'volume-head': true },
        },
        'snap-a': { name: 'snap-a', size: String(1.5 * GiB), usercreated: true, children: { 'snap-b': true } },
      },
      ...status,
    },
  });

export const aReplica = (
  number: number,
  spec: Replica['spec'] = {},
  annotations = {},
  parts: Record<string, unknown> = {},
): Replica =>
  storageObject<Replica>('Replica', `vol-r-${number}`, {
    metadata: { ...ofVolume, annotations: { [storageAnnotations.promised]: '4', ...annotations } },
    spec: {
      volumeName: 'vol',
      active: true,
      engineName: 'vol-e-0',
      nodeID: `node-${number}`,
      diskID: `disk-${number}`,
      diskPath: '/var/lib/longhorn/',
      image,
      desireState: 'running',
      healthyAt: '2030-01-01T00:01:00Z',
      lastHealthyAt: '2030-01-01T00:01:00Z',
      failedAt: '',
      ...spec,
    },
    status: { currentState: 'running', storageIP: `10.0.0.${number}`, port: 10000 },
    ...parts,
  });

export const aStorageNode = (
  number: number,
  spec: LonghornNode['spec'] = {},
  status: LonghornNodeStatus = {},
): LonghornNode =>
  storageObject<LonghornNode>('Node', `node-${number}`, {
    spec: {
      name: `node-${number}`,
      allowScheduling: true,
      evictionRequested: false,
      tags: [],
      disks: {
        'disk-a': {
          path: '/var/lib/longhorn/',
          diskType: 'filesystem',
          allowScheduling: true,
          storageReserved: 30 * GiB,
          tags: [],
        },
      },
      ...spec,
    },
    status: {
      zone: `zone-${number}`,
      conditions: [holds('Ready'), holds('Schedulable')],
      diskStatus: {
        'disk-a': {
          diskUUID: `disk-${number}`,
          diskPath: '/var/lib/longhorn/',
          storageMaximum: 100 * GiB,
          storageAvailable: 80 * GiB,
          storageScheduled: 10 * GiB,
          scheduledReplica: { [`vol-r-${number}`]: 10 * GiB },
          conditions: [holds('Ready'), holds('Schedulable')],
        },
      },
      ...status,
    },
  });

/** The ticket of a pod on node-1. */
export const anAttachment = (
  tickets: VolumeAttachmentObject['spec']['attachmentTickets'] = {
    'csi-1': { id: 'csi-1', type: 'csi-attacher', nodeID: 'node-1' },
  },
  why: Record<string, [reason: string, message: string]> = {},
): VolumeAttachmentObject =>
  storageObject<VolumeAttachmentObject>('VolumeAttachment', 'vol', {
    metadata: ofVolume,
    spec: { volume: 'vol', attachmentTickets: tickets },
    status: {
      attachmentTicketStatuses: Object.fromEntries(
        Object.keys(tickets).map((id) => [
          id,
          {
            id,
            satisfied: why[id] === undefined,
            conditions: why[id] === undefined ? [] : [holds('Satisfied', 'False', ...why[id])],
          },
        ]),
      ),
    },
  });

export const anInstanceManager = (number: number, status: InstanceManager['status'] = {}): InstanceManager =>
  storageObject<InstanceManager>('InstanceManager', `instance-manager-${number}`, {
    spec: { image, nodeID: `node-${number}`, type: 'aio', dataEngine: 'v1' },
    status: { currentState: 'running', ip: `10.0.0.${number}`, ...status },
  });

/** A volume with all of its related objects, healthy on three nodes. */
export const aHealthyVolume = (): KubeObject[] => [
  aVolume(),
  anEngine(),
  ...[1, 2, 3].map((number) => aReplica(number)),
  ...[1, 2, 3].map((number) => aStorageNode(number)),
  ...[1, 2, 3].map((number) => anInstanceManager(number)),
  anAttachment(),
];
