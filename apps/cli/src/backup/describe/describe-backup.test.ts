import type {
  Backup,
  BackupPhase,
  BackupStatus,
  DataUpload,
  DeleteBackupRequest,
  PodVolumeBackup,
} from '@lateen/api-types';
import { backupPhases } from '@lateen/api-types';
import type { BackupOperation, BackupVolumeInfo, Results } from '@lateen/backup-store';
import type { InspectedBackup } from '@lateen/operations/backup';
import { aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupAsJson } from './backup-as-json.ts';
import { describeBackup } from './describe-backup.ts';

const golden = (name: string) => `testdata/${name}`;
const read = <T>(value: T) => ({ kind: 'read', value }) as const;
const missing = { kind: 'missing' } as const;

function backup(phase: BackupPhase | undefined, status: BackupStatus = {}, spec: Backup['spec'] = {}): Backup {
  return {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: {
      name: 'nightly',
      namespace: 'velero',
      labels: { 'velero.io/storage-location': 'default', team: 'shop' },
      annotations: { 'velero.io/resource-timeout': '10m0s' },
    },
    spec: {
      includedNamespaces: ['*'],
      storageLocation: 'default',
      ttl: '720h0m0s',
      csiSnapshotTimeout: '10m0s',
      itemOperationTimeout: '4h0m0s',
      snapshotMoveData: true,
      ...spec,
    },
    ...(phase === undefined ? {} : { status: { phase, ...status } }),
  };
}

const inspected = (object: Backup, parts: Partial<InspectedBackup> = {}): InspectedBackup => ({
  backup: object,
  deleteRequests: [],
  podVolumeBackups: [],
  uploads: [],
  ...parts,
});

const started = { version: 1, formatVersion: '1.1.0', startTimestamp: '2030-01-01T01:00:00Z' };
const counted = {
  ...started,
  expiration: '2030-01-31T01:00:00Z',
  progress: { totalItems: 120, itemsBackedUp: 120 },
  hookStatus: { hooksAttempted: 2 },
};
const ended = { ...counted, completionTimestamp: '2030-01-01T01:00:42Z' };

const moved = (pvcName: string, parts: Partial<BackupVolumeInfo> = {}): BackupVolumeInfo => ({
  pvcName,
  pvcNamespace: 'shop',
  pvName: `pvc-${pvcName}`,
  backupMethod: 'CSISnapshot',
  snapshotDataMoved: true,
  preserveLocalSnapshot: false,
  skipped: false,
  result: 'succeeded',
  snapshotDataMovementInfo: {
    dataMover: 'velero',
    uploaderType: 'kopia',
    snapshotHandle: 'k1',
    operationID: `du-uid.${pvcName}`,
    size: 1_048_576,
    incrementalSize: 4_096,
    Phase: 'Completed',
  },
  ...parts,
});
const kept: BackupVolumeInfo = {
  pvcName: 'cache',
  pvcNamespace: 'shop',
  pvName: 'pvc-cache',
  backupMethod: 'CSISnapshot',
  snapshotDataMoved: false,
  preserveLocalSnapshot: true,
  skipped: false,
  result: 'succeeded',
  csiSnapshotInfo: {
    snapshotHandle: 'snap-1',
    size: 2_048,
    driver: 'csi.lateen.dev',
    vscName: 'vsc-1',
    operationID: 'op',
  },
};
const native: BackupVolumeInfo = {
  pvName: 'pv-ebs',
  backupMethod: 'NativeSnapshot',
  snapshotDataMoved: false,
  preserveLocalSnapshot: false,
  skipped: false,
  result: 'succeeded',
  nativeSnapshotInfo: { snapshotHandle: 'snap-2', volumeType: 'gp3', volumeAZ: 'eu-1a', iops: '', Phase: 'Completed' },
};
const skipped: BackupVolumeInfo = {
  pvcName: 'scratch',
  pvcNamespace: 'shop',
  pvName: 'pvc-scratch',
  snapshotDataMoved: false,
  preserveLocalSnapshot: false,
  skipped: true,
  skippedReason: 'csiSnapshot: no VolumeSnapshotClass for driver x;',
};
const operation = (name: string, status: BackupOperation['status']): BackupOperation => ({
  spec: {
    backupName: 'nightly',
    backupUID: 'uid',
    backupItemAction: 'velero.io/csi-pvc-backupper',
    resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'shop', Name: name },
    operationID: `du-uid.${name}`,
    postOperationItems: [{ Group: 'velero.io', Resource: 'datauploads', Namespace: 'velero', Name: `nightly-${name}` }],
  },
  status,
});
const done = operation('data', {
  phase: 'Completed',
  nCompleted: 1_048_576,
  nTotal: 1_048_576,
  operationUnits: 'Bytes',
  description: 'Completed',
  created: '2030-01-01T01:00:02Z',
  started: '2030-01-01T01:00:04Z',
  updated: '2030-01-01T01:00:40Z',
});
const broken = operation('logs', { phase: 'Failed', error: 'data path backup failed: repository is locked' });
const results: Results = {
  warnings: { namespaces: { shop: [' resource: /pods name: /web message: /pod has no node'] } },
  errors: {
    velero: ['hook <db> failed\n\u001b[2J'],
    cluster: [' resource: /persistentvolumes name: /pv-9 error: /timed out'],
    namespaces: {
      shop: [
        ' resource: /pods name: /a message: /Error backing up item error: /webhook refused',
        ' resource: /pods name: /b message: /Error backing up item error: /webhook refused',
        ' resource: /pods name: /c message: /Error backing up item error: /webhook refused',
        ' resource: /pods name: /d message: /Error backing up item error: /webhook refused',
        ' resource: /persistentvolumeclaims name: /logs error: /data path backup failed: repository is locked',
      ],
    },
  },
};
const podVolume = (pod: string, volume: string, phase: 'Completed' | 'Failed'): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: { name: `${pod}-${volume}`, namespace: 'velero' },
  spec: {
    node: 'n',
    pod: { kind: 'Pod', namespace: 'shop', name: pod },
    volume,
    backupStorageLocation: 'default',
    repoIdentifier: '',
  },
  status: {
    phase,
    ...(phase === 'Failed'
      ? { message: 'kubelet path is gone' }
      : {
          startTimestamp: '2030-01-01T01:00:01Z',
          completionTimestamp: '2030-01-01T01:00:04Z',
          progress: { totalBytes: 13_107_200, bytesDone: 13_107_200 },
          incrementalBytes: 1_048_576,
        }),
  },
});
const withStatus = (of: PodVolumeBackup, status: PodVolumeBackup['status']): PodVolumeBackup => ({
  ...of,
  status: { ...of.status, ...status },
});
const deletion = (name: string, status: DeleteBackupRequest['status']): DeleteBackupRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'DeleteBackupRequest',
  metadata: { name, namespace: 'velero', creationTimestamp: '2030-01-02T00:00:00Z' },
  spec: { backupName: 'nightly' },
  ...(status ? { status } : {}),
});

const full = {
  volumes: read([moved('data'), kept, native, skipped]),
  operations: read([done]),
  resources: read({ 'v1/Pod': ['shop/web', 'shop/db'], 'apps/v1/Deployment': ['shop/web'] }),
  outcomes: read({
    counts: { BackedUp: 118, Skipped: 1, Warning: 1 },
    shown: [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: 'shop',
        name: 'old',
        outcome: 'Skipped',
        reason: 'label velero.io/exclude-from-backup',
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'shop',
        name: 'web',
        outcome: 'Warning',
        reason: 'pod has no node',
        by: 'velero.io/pod',
      },
    ] as const,
    more: 3,
  }),
} satisfies Partial<InspectedBackup>;

const oneOperation = { backupItemOperationsAttempted: 1, backupItemOperationsCompleted: 1 };
const failing = {
  ...ended,
  errors: 7,
  warnings: 1,
  backupItemOperationsAttempted: 2,
  backupItemOperationsCompleted: 1,
  backupItemOperationsFailed: 1,
};
const rich: Backup['spec'] = {
  includedNamespaces: ['shop', 'shop-*'],
  excludedNamespaces: ['shop-test'],
  includedClusterScopedResources: ['persistentvolumes'],
  excludedNamespaceScopedResources: ['events'],
  labelSelector: {
    matchLabels: { app: 'shop' },
    matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
  },
  resourcePolicy: { kind: 'configmap', name: 'policies' },
  uploaderConfig: { parallelFilesUpload: 8 },
  orderedResources: { pods: 'shop/db,shop/web' },
  snapshotVolumes: true,
  defaultVolumesToFsBackup: true,
  datamover: 'other',
  hooks: {
    resources: [
      {
        name: 'freeze',
        includedNamespaces: ['shop'],
        labelSelector: { matchLabels: { app: 'db' } },
        pre: [{ exec: { container: 'db', command: ['/bin/sh', '-c', 'freeze'], onError: 'Fail', timeout: '30s' } }],
        post: [{ exec: { command: ['thaw'] } }],
      },
    ],
  },
};
const upload = aDataUpload({
  name: 'nightly-data',
  phase: 'InProgress',
  spec: { sourceNamespace: 'shop', sourcePVC: 'data' },
  status: { progress: { bytesDone: 512, totalBytes: 2_048 } },
});
const readUpload = (claim: string, changedBlocks: NonNullable<DataUpload['status']>['changedBlocks']) =>
  aDataUpload({
    name: `nightly-${claim}`,
    labels: { 'velero.io/async-operation-id': `du-uid.${claim}` },
    phase: 'Completed',
    spec: { sourceNamespace: 'shop', sourcePVC: claim },
    status: { ...(changedBlocks === undefined ? {} : { changedBlocks }) },
  });
const failedUpload = aDataUpload({
  name: 'nightly-logs',
  phase: 'Failed',
  spec: { sourceNamespace: 'shop', sourcePVC: 'logs' },
  status: { message: 'data path backup failed: repository is locked' },
});

const cases: [name: string, InspectedBackup, details?: boolean][] = [
  ['new', inspected(backup(undefined))],
  ['queued', inspected(backup('Queued', { queuePosition: 3 }))],
  ['ready-to-start', inspected(backup('ReadyToStart'))],
  [
    'failed-validation',
    inspected(backup('FailedValidation', { validationErrors: ['no such location', 'bad\nfilter'] })),
  ],
  [
    'in-progress',
    inspected(
      backup('InProgress', {
        ...started,
        progress: { totalItems: 120, itemsBackedUp: 7 },
        ...{ backupItemOperationsAttempted: 1 },
      }),
      {
        uploads: [upload],
        podVolumeBackups: [
          withStatus(podVolume('web', 'cache', 'Completed'), {
            phase: 'InProgress',
            progress: { bytesDone: 1_024, totalBytes: 4_096 },
          }),
        ],
      },
    ),
  ],
  [
    'waiting',
    inspected(backup('WaitingForPluginOperations', { ...counted, backupItemOperationsAttempted: 1 }), {
      volumes: missing,
      uploads: [upload],
    }),
  ],
  [
    'waiting-partially-failed',
    inspected(backup('WaitingForPluginOperationsPartiallyFailed', { ...counted, errors: 1 }), {
      volumes: read([]),
      results: read(results),
    }),
  ],
  ['finalizing', inspected(backup('Finalizing', counted), { volumes: read([moved('data')]) })],
  [
    'finalizing-partially-failed',
    inspected(backup('FinalizingPartiallyFailed', { ...counted, errors: 1 }), { volumes: read([]), results: missing }),
  ],
  ['completed', inspected(backup('Completed', { ...ended, ...oneOperation }), { volumes: full.volumes })],
  ['completed-details', inspected(backup('Completed', { ...ended, ...oneOperation }, rich), full), true],
  [
    'completed-changed-blocks',
    inspected(backup('Completed', { ...ended, ...oneOperation }), {
      volumes: read([moved('data'), moved('logs'), moved('all')]),
      uploads: [
        readUpload('data', {
          readBytes: 12_582_912,
          changedBytes: 12_582_912,
          uploadedBytes: 4_194_304,
          verifiedBytes: 20_971_520,
        }),
        readUpload('logs', {
          readBytes: 1_048_576,
          differsAt: 524_288,
          fullReadReason: 'base snapshot differs from the volume',
        }),
        readUpload('all', undefined),
      ],
    }),
    true,
  ],
  [
    'partially-failed',
    inspected(backup('PartiallyFailed', failing), {
      volumes: read([moved('data'), moved('logs', { result: 'failed' })]),
      results: read(results),
      operations: read([done, broken]),
      uploads: [failedUpload],
      podVolumeBackups: [podVolume('web', 'tmp', 'Completed'), podVolume('web', 'data', 'Failed')],
    }),
  ],
  [
    'partially-failed-without-files',
    inspected(backup('PartiallyFailed', failing), {
      volumes: { kind: 'failed', error: new Error('the link leads to s3.test, which does not answer') },
      results: { kind: 'failed', error: new Error('the link leads to s3.test, which does not answer') },
      operations: missing,
      resources: missing,
    }),
    true,
  ],
  [
    'failed',
    inspected(backup('Failed', { ...started, failureReason: 'backup already exists in object storage' }), {
      volumes: missing,
      csiSnapshots: missing,
    }),
  ],
  [
    'deleting',
    inspected(backup('Deleting', ended), {
      volumes: read([]),
      deleteRequests: [
        deletion('a', { phase: 'Processed', errors: ['bucket is read-only'] }),
        deletion('b', undefined),
      ],
    }),
  ],
  [
    'canceling',
    inspected(backup('Canceling', { ...started, progress: { totalItems: 9, itemsBackedUp: 3 } }, { cancel: true })),
  ],
  [
    'canceled',
    inspected(backup('Canceled', { ...started, completionTimestamp: '2030-01-01T01:00:09Z' }, { cancel: true })),
  ],
  [
    'old',
    inspected(
      backup(
        'Completed',
        { ...ended, volumeSnapshotsAttempted: 1 },
        { includeClusterResources: true, includedResources: ['pods'] },
      ),
      {
        volumes: missing,
        nativeSnapshots: read([
          {
            spec: {
              backupName: 'nightly',
              backupUID: 'u',
              location: 'ebs',
              persistentVolumeName: 'pv-1',
              providerVolumeID: 'v',
              volumeType: 'gp3',
            },
            status: { phase: 'Completed', providerSnapshotID: 'snap-9' },
          },
        ]),
        csiSnapshots: read([
          { apiVersion: 'v1', kind: 'VolumeSnapshot', metadata: { namespace: 'shop', name: 'vs-1' } },
        ]),
        podVolumeBackups: [
          podVolume('web', 'tmp', 'Completed'),
          withStatus(podVolume('web', 'data', 'Completed'), {
            message: '2 files changed while they were read: a, b',
          }),
          podVolume('db-0', 'wal', 'Failed'),
          {
            ...podVolume('db-0', 'old', 'Completed'),
            spec: { ...podVolume('db-0', 'old', 'Completed').spec, uploaderType: 'restic' },
          },
        ],
      },
    ),
    true,
  ],
];

describe('the description of a backup', () => {
  it('is tested in every phase', () => {
    const phases = new Set(cases.map(([, { backup: each }]) => each.status?.phase ?? 'New'));
    expect([...phases].sort()).toEqual([...backupPhases].sort());
  });

  it.each(cases)('%s', async (name, what, details = false) => {
    const text = describeBackup(what, { details });
    await expect(text).toMatchFileSnapshot(golden(`${name}.txt`));
    expect(text).not.toMatch(/undefined|\[object|[^\S\n]\n|\n\n\n/);
    expect(text).not.toContain('\u001b');
    const json = backupAsJson(what, { details });
    await expect(`${JSON.stringify(json, null, 2)}\n`).toMatchFileSnapshot(golden(`${name}.json`));
  });
});
