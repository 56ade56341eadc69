import {
  labels,
  type Restore,
  type RestorePhase,
  type RestoreStatus,
  type RestoreThroughput,
  restorePhases,
} from '@lateen/api-types';
import type { RestoreOperation, RestoreVolumeInfo } from '@lateen/backup-store';
import type { InspectedRestore } from '@lateen/operations/restore';
import { aDataDownload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { describeRestore } from './describe-restore.ts';
import { restoreAsJson } from './restore-as-json.ts';

const golden = (name: string) => `testdata/${name}`;
const read = <T>(value: T) => ({ kind: 'read', value }) as const;
const missing = { kind: 'missing' } as const;

const restore = (
  phase: RestorePhase | undefined,
  status: RestoreStatus = {},
  spec: Restore['spec'] = {},
  annotations: Record<string, string> = {},
): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name: 'again', namespace: 'velero', labels: { team: 'shop' }, annotations },
  spec: {
    backupName: 'nightly',
    includedNamespaces: ['*'],
    itemOperationTimeout: '4h0m0s',
    uploaderConfig: {},
    ...spec,
  },
  ...(phase === undefined ? {} : { status: { phase, ...status } }),
});

const inspected = (object: Restore, parts: Partial<InspectedRestore> = {}): InspectedRestore => ({
  restore: object,
  podVolumeRestores: [],
  downloads: [],
  ...parts,
});

const started = { startTimestamp: '2030-01-01T01:00:00Z', progress: { totalItems: 120, itemsRestored: 80 } };
const ended = {
  startTimestamp: '2030-01-01T01:00:00Z',
  completionTimestamp: '2030-01-01T01:00:42Z',
  progress: { totalItems: 120, itemsRestored: 120 },
};
const operations = { restoreItemOperationsAttempted: 2, restoreItemOperationsCompleted: 1 };

const moved = (pvcName: string, phase: string): RestoreVolumeInfo => ({
  pvcName,
  pvcNamespace: 'shop',
  pvName: `pvc-${pvcName}`,
  restoreMethod: 'CSISnapshot',
  snapshotDataMoved: true,
  snapshotDataMovementInfo: {
    dataMover: 'velero',
    uploaderType: 'kopia',
    snapshotHandle: 'h',
    operationID: `dd-${pvcName}`,
    size: 4096,
    Phase: phase,
  },
});
const snapshot: RestoreVolumeInfo = {
  pvcName: 'cache',
  pvcNamespace: 'shop',
  pvName: 'pvc-cache',
  restoreMethod: 'CSISnapshot',
  snapshotDataMoved: false,
  csiSnapshotInfo: { snapshotHandle: 'snap-1', size: 10, driver: 'files.csi', vscName: 'content-1' },
};
const native: RestoreVolumeInfo = {
  pvName: 'pv-ebs',
  restoreMethod: 'NativeSnapshot',
  snapshotDataMoved: false,
  nativeSnapshotInfo: {
    snapshotHandle: 'snap-9',
    volumeType: 'gp3',
    volumeAZ: 'eu-1a',
    iops: '3000',
    Phase: 'Completed',
  },
};
const operation = (name: string, status: RestoreOperation['status']): RestoreOperation => ({
  spec: {
    restoreName: 'again',
    restoreUID: 'u',
    restoreItemAction: 'velero.io/csi-pvc-restorer',
    resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'shop', Name: name },
    operationID: `dd-${name}`,
  },
  status,
});
const download = (pvc: string, phase: 'InProgress' | 'Failed', message?: string) => {
  const made = aDataDownload({ name: `again-${pvc}`, phase });
  made.spec.targetVolume = { ...made.spec.targetVolume, namespace: 'shop', pvc };
  made.status = { ...made.status, progress: { bytesDone: 1024, totalBytes: 4096 }, ...(message ? { message } : {}) };
  return made;
};

const inPace: RestoreThroughput = {
  filesDone: 28,
  totalFiles: 40,
  filesPerSecond: 20,
  bytesPerSecond: 500,
  limitedBy: 'store-latency',
};
const withThroughput = (made: ReturnType<typeof download>, throughput: RestoreThroughput) => {
  made.status = { ...made.status, throughput };
  return made;
};
/** The DataDownload that has restored `data`. */
const ofOperation = (pvc: string, throughput: RestoreThroughput) => {
  const made = withThroughput(download(pvc, 'InProgress'), throughput);
  made.status = { ...made.status, phase: 'Completed' };
  made.metadata.labels = { [labels.asyncOperationId]: `dd-${pvc}` };
  return made;
};
const atTheEnd: RestoreThroughput = {
  ...inPace,
  reader: 'packs',
  storeBytes: 3_000,
  storeRequests: 3,
  storeRequestsInFlight: 64,
  storeLatencyMilliseconds: 28,
  durationMilliseconds: 8_000,
};

const full: Restore['spec'] = {
  scheduleName: 'nightly',
  includedNamespaces: ['shop'],
  excludedResources: ['nodes', 'events'],
  namespaceMapping: { shop: 'shop-copy', blog: 'b' },
  labelSelector: { matchLabels: { app: 'web' } },
  restorePVs: true,
  includeClusterResources: false,
  preserveNodePorts: true,
  existingResourcePolicy: 'update',
  existingVolumeDataPolicy: 'full',
  resourceModifier: { kind: 'configmap', name: 'mod' },
  resourcePolicy: { kind: 'configmap', name: 'pol' },
  ownerRefConfigMap: 'owners',
  uploaderConfig: { writeSparseFiles: true, parallelFilesDownload: 4, deleteExtraFiles: true, directRestore: false },
};

const wishes = {
  'lateen.dev/existing-volumes': 'shop-copy/data=incremental',
  'lateen.dev/scale-workloads': 'true',
  'lateen.dev/keep-old-data': 'false',
  'lateen.dev/wait-for-data': '2h',
};

const cases: [string, InspectedRestore, boolean?][] = [
  ['new', inspected(restore(undefined))],
  ['waits', inspected(restore('New', {}, {}, { 'lateen.dev/waits-for': 'other' }))],
  ['failed-validation', inspected(restore('FailedValidation', { validationErrors: ['no such backup', 'two\nlines'] }))],
  [
    'in-progress',
    inspected(restore('InProgress', started), { downloads: [withThroughput(download('data', 'InProgress'), inPace)] }),
  ],
  ['waiting', inspected(restore('WaitingForPluginOperations', { ...started, ...operations }), { volumes: missing })],
  [
    'waiting-partially-failed',
    inspected(restore('WaitingForPluginOperationsPartiallyFailed', { ...started, ...operations, errors: 1 }), {
      results: missing,
      volumes: missing,
    }),
  ],
  ['finalizing', inspected(restore('Finalizing', ended), { volumes: read([]) })],
  ['finalizing-partially-failed', inspected(restore('FinalizingPartiallyFailed', ended), { volumes: read([]) })],
  [
    'completed',
    inspected(restore('Completed', { ...ended, ...operations }, full), {
      volumes: read([moved('data', 'Completed'), snapshot]),
      downloads: [ofOperation('data', atTheEnd)],
    }),
  ],
  [
    'completed-details',
    inspected(restore('Completed', { ...ended, ...operations, hookStatus: { hooksAttempted: 2 } }, full, wishes), {
      volumes: read([moved('data', 'Completed'), snapshot, native]),
      downloads: [ofOperation('data', atTheEnd)],
      operations: read([
        operation('data', {
          phase: 'Completed',
          nCompleted: 4096,
          nTotal: 4096,
          operationUnits: 'Bytes',
          created: '2030-01-01T01:00:01Z',
        }),
      ]),
      resources: read({ 'v1/Pod': ['shop/web(created)'], 'apps/v1/Deployment': ['shop/web(created)'] }),
      outcomes: read({
        counts: { create: 118, conflict: 2 },
        shown: [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            namespace: 'shop-copy',
            name: 'web',
            sourceNamespace: 'shop',
            act: 'conflict',
            reason: 'differs',
          },
          { apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv-2', sourceName: 'pv-1', act: 'skip', by: 'a rule' },
        ],
        more: 3,
      }),
      podVolumeRestores: [
        {
          apiVersion: 'velero.io/v1',
          kind: 'PodVolumeRestore',
          metadata: { name: 'p' },
          spec: {
            pod: { namespace: 'shop', name: 'web' },
            volume: 'tmp',
            backupStorageLocation: 'default',
            repoIdentifier: '',
            snapshotID: 's',
            sourceNamespace: 'shop',
          },
          status: { phase: 'Completed' },
        },
      ],
    }),
    true,
  ],
  [
    'partially-failed',
    inspected(
      restore('PartiallyFailed', { ...ended, ...operations, restoreItemOperationsFailed: 1, errors: 3, warnings: 1 }),
      {
        results: read({
          warnings: { cluster: ['could not restore, CustomResourceDefinition "x" already exists'] },
          errors: {
            velero: ['no such file'],
            namespaces: { shop: ['error restoring pods/shop/web: quota exceeded', 'another'] },
          },
        }),
        downloads: [download('data', 'Failed', 'repository is locked')],
        operations: read([operation('data', { phase: 'Failed', error: 'repository is locked' })]),
        volumes: read([moved('data', 'Failed')]),
      },
    ),
  ],
  [
    'failed',
    inspected(
      restore('Failed', {
        ...started,
        failureReason: 'found a restore with status "InProgress" during the server starting',
      }),
      {
        volumes: { kind: 'failed', error: new Error('the link leads to s3.test, which does not answer') },
      },
    ),
  ],
  ['canceling', inspected(restore('Canceling', started, { cancel: true }))],
  ['canceled', inspected(restore('Canceled', ended, { cancel: true }), { volumes: missing })],
];

describe('the description of a restore', () => {
  it('is tested in every phase', () => {
    const phases = new Set(cases.map(([, { restore: each }]) => each.status?.phase ?? 'New'));
    expect([...phases].sort()).toEqual([...restorePhases].sort());
  });

  it.each(cases)('%s', async (name, what, details = false) => {
    const text = describeRestore(what, { details });
    await expect(text).toMatchFileSnapshot(golden(`${name}.txt`));
    expect(text).not.toMatch(/undefined|\[object|[^\S\n]\n|\n\n\n/);
    expect(text).not.toContain('\u001b');
    const json = restoreAsJson(what, { details });
    await expect(`${JSON.stringify(json, null, 2)}\n`).toMatchFileSnapshot(golden(`${name}.json`));
  });
});
