import { createHash } from 'node:crypto';
import {
  type PersistentVolumeClaim,
  type Unstructured,
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  type VolumeSnapshotContent,
  volumeGroupSnapshotContentType,
} from '@lateen/api-types';
import {
  aPersistentVolumeClaim,
  aRestoreContext,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
  restoredBy,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { csiRestoreActions } from './csi-restore-actions.ts';

const must = { 'restore.velero.io/must-include-additional-items': 'true' };
const hashOf = (name: string, uid = 'restore-uid') => createHash('sha256').update(`${uid}/${name}`).digest('hex');
const actionFor = (kind: string) => {
  const found = csiRestoreActions().find(({ name }) => name === `velero.io/csi-${kind}-restorer`);
  if (found === undefined) throw new Error(`there is no action for ${kind}`);
  return found;
};
const aClass = (name: string, parts: Partial<VolumeSnapshotClass> = {}): VolumeSnapshotClass => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name },
  driver: 'csi.lateen.dev',
  deletionPolicy: 'Delete',
  ...parts,
});

const snapshot = aVolumeSnapshot({
  name: 'velero-data-1',
  labels: { app: 'db' },
  annotations: {
    'velero.io/csi-volumesnapshot-handle': 'snapshot-handle',
    'velero.io/csi-volumesnapshot-restore-size': '2Gi',
    'velero.io/csi-driver-name': 'csi.lateen.dev',
  },
});
const stored = aPersistentVolumeClaim({
  uid: 'claim-uid',
  volumeName: 'pv-data',
  annotations: { 'velero.io/volume-snapshot-name': 'velero-data-1' },
});
const specOf = ({ updatedItem }: { updatedItem: Unstructured }) => updatedItem.spec as PersistentVolumeClaim['spec'];

it('runs in the order and with the names of Velero', () => {
  expect(csiRestoreActions().map(({ name }) => name)).toEqual([
    'velero.io/csi-pvc-restorer',
    'velero.io/csi-volumesnapshot-restorer',
    'velero.io/csi-volumesnapshotcontent-restorer',
    'velero.io/csi-volumesnapshotclass-restorer',
  ]);
});

describe('a claim with a snapshot', () => {
  const claimAction = () => actionFor('pvc');
  it('is created from its snapshot, which is restored first, whatever the filters are', async () => {
    const context = aRestoreContext({ archive: [snapshot], restore: { namespaceMapping: { app: 'app-2' } } });
    const result = await restoredBy(claimAction(), stored, context);
    const source = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: hashOf('velero-data-1') };
    expect(specOf(result)).toMatchObject({ dataSource: source, dataSourceRef: source });
    expect(specOf(result).volumeName).toBeUndefined();
    expect(result.updatedItem.metadata.annotations).toMatchObject(must);
    expect(result.additionalItems).toEqual([
      { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshots', namespace: 'app', name: 'velero-data-1' },
    ]);
    expect(result.operationId).toBeUndefined();
    expect(context.noted.get('app-2/data')).toEqual({
      method: 'CSISnapshot',
      dataMoved: false,
      snapshotName: hashOf('velero-data-1'),
      contentName: hashOf('velero-data-1'),
      snapshotHandle: 'snapshot-handle',
      driver: 'csi.lateen.dev',
      sizeBytes: 2 * 1024 ** 3,
    });
  });

  it.each([
    ['1Gi', '2Gi'],
    ['2Gi', '2Gi'],
    ['3Gi', '3Gi'],
    ['2147483647', '2Gi'],
  ])('requests at least the size of the snapshot: %s becomes %s', async (storage, expected) => {
    const claim = { ...stored, spec: { ...stored.spec, resources: { requests: { storage } } } };
    const result = await restoredBy(claimAction(), claim, aRestoreContext({ archive: [snapshot] }));
    expect(specOf(result).resources).toEqual({ requests: { storage: expected } });
  });

  it('keeps its size when the size of the snapshot is unknown', async () => {
    const unsized = aVolumeSnapshot({ name: 'velero-data-1', status: { restoreSize: 'much' } });
    const result = await restoredBy(claimAction(), stored, aRestoreContext({ archive: [unsized] }));
    expect(specOf(result).resources).toEqual({ requests: { storage: '1Gi' } });
  });

  it('is not restored with an empty volume when its snapshot is not in the backup', async () => {
    await expect(restoredBy(claimAction(), stored, aRestoreContext())).rejects.toThrow(
      'the data of PVC app/data is not in the backup: VolumeSnapshot app/velero-data-1 is not in it',
    );
  });

  it('that exists already keeps its data, with a warning', async () => {
    const context = aRestoreContext({ archive: [snapshot], objects: [aPersistentVolumeClaim({ volumeName: 'pv-2' })] });
    const result = await restoredBy(claimAction(), stored, context);
    expect(result.additionalItems).toBeUndefined();
    expect(specOf(result).dataSource).toBeUndefined();
    expect(context.log.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('that an earlier attempt of the restore created is used', async () => {
    const first = await restoredBy(claimAction(), stored, aRestoreContext({ archive: [snapshot] }));
    const context = aRestoreContext({ archive: [snapshot], objects: [first.updatedItem] });
    expect(await restoredBy(claimAction(), stored, context)).toEqual(first);
    expect(context.log.lines).toEqual([]);
  });
});

describe('a VolumeSnapshot', () => {
  const action = () => actionFor('volumesnapshot');
  it('gets a name of this restore and its own content', async () => {
    const context = aRestoreContext({ objects: [aClass('lateen')] });
    const { updatedItem, additionalItems } = await restoredBy(action(), snapshot, context);
    expect(updatedItem.metadata).toMatchObject({
      name: hashOf('velero-data-1'),
      labels: { app: 'db' },
      annotations: must,
    });
    expect((updatedItem as unknown as VolumeSnapshot).spec).toEqual({
      source: { volumeSnapshotContentName: hashOf('velero-data-1') },
      volumeSnapshotClassName: 'lateen',
    });
    expect(additionalItems).toEqual([
      { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshotcontents', name: 'content' },
    ]);
  });

  it('has another name in another restore', async () => {
    const { updatedItem } = await restoredBy(action(), snapshot, aRestoreContext({ restoreUid: 'other' }));
    expect(updatedItem.metadata.name).toBe(hashOf('velero-data-1', 'other'));
  });

  it.each<[string, VolumeSnapshotClass[], VolumeSnapshotClass[], string | undefined, boolean]>([
    ['that exists', [aClass('lateen'), aClass('other')], [], 'lateen', false],
    ['of the backup when the class is missing', [], [aClass('lateen')], 'lateen', true],
    ['that the driver has in this cluster', [aClass('fast')], [], 'fast', false],
    [
      'that the driver has in this cluster, when another driver uses the name',
      [aClass('lateen', { driver: 'x' }), aClass('fast')],
      [aClass('lateen')],
      'fast',
      false,
    ],
    ['undefined, when the driver has none', [aClass('x', { driver: 'x' })], [], undefined, false],
    ['undefined, when several are possible', [aClass('a'), aClass('b')], [], undefined, false],
  ])('has the class %s', async (_which, objects, archive, expected, needed) => {
    const { updatedItem, additionalItems } = await restoredBy(
      action(),
      snapshot,
      aRestoreContext({ objects, archive }),
    );
    expect((updatedItem as unknown as VolumeSnapshot).spec.volumeSnapshotClassName).toBe(expected);
    expect(additionalItems?.some(({ resource }) => resource === 'volumesnapshotclasses')).toBe(needed);
  });

  it('of a group gets one placeholder for the group', async () => {
    const annotations = { ...snapshot.metadata.annotations, 'velero.io/csi-volumegroupsnapshot-handle': 'group-1' };
    const member = { ...snapshot, metadata: { ...snapshot.metadata, annotations } };
    const context = aRestoreContext({ restore: { namespaceMapping: { app: 'app-2' } } });
    await restoredBy(action(), member, context);
    await restoredBy(action(), member, context);
    await restoredBy(action(), member, aRestoreContext({ cluster: context.kube, dryRun: true, restoreUid: 'plan' }));
    const [stub, ...others] = context.kube.all(volumeGroupSnapshotContentType);
    expect(others).toEqual([]);
    expect(stub).toMatchObject({
      metadata: { name: hashOf('group-1'), labels: { 'velero.io/restore-uid': 'restore-uid' } },
      spec: {
        deletionPolicy: 'Retain',
        driver: 'csi.lateen.dev',
        source: {
          groupSnapshotHandles: { volumeGroupSnapshotHandle: 'group-1', volumeSnapshotHandles: ['snapshot-handle'] },
        },
        volumeGroupSnapshotRef: { kind: 'VolumeGroupSnapshot', namespace: 'app-2', name: hashOf('group-1') },
      },
      status: { volumeGroupSnapshotHandle: 'group-1' },
    });
  });

  it.each([
    [
      'that the backup took for a claim is marked for deletion after the restore',
      'nightly',
      { 'lateen.dev/restored-for-claim': 'restore-uid' },
    ],
    ['that a user took is not marked', 'other', {}],
  ])('%s', async (_title, backupName, expected) => {
    const labels = { 'velero.io/backup-name': backupName };
    const taken = aVolumeSnapshot({ name: 's', labels });
    const { updatedItem } = await restoredBy(action(), taken, aRestoreContext());
    expect(updatedItem.metadata.annotations).toEqual({ ...must, ...expected });
  });

  it('without a content is an error', async () => {
    const unbound = aVolumeSnapshot({ content: undefined });
    await expect(restoredBy(action(), unbound, aRestoreContext())).rejects.toMatchObject({
      code: 'DATA_NOT_IN_BACKUP',
    });
  });
});

describe('a VolumeSnapshotContent', () => {
  const action = () => actionFor('volumesnapshotcontent');
  const content = aVolumeSnapshotContent({
    labels: { 'snapshot.storage.kubernetes.io/managed-by': 'node-1' },
    annotations: {
      'snapshot.storage.kubernetes.io/deletion-secret-name': 'csi',
      'snapshot.storage.kubernetes.io/deletion-secret-namespace': 'storage',
      'snapshot.storage.kubernetes.io/volumesnapshot-being-created': 'yes',
    },
    spec: { volumeSnapshotRef: { namespace: 'app', name: 'velero-data-1', uid: 'old', resourceVersion: '7' } },
  });

  it('refers to the snapshot on the storage for the restored VolumeSnapshot, and retains it', async () => {
    const context = aRestoreContext({ restore: { namespaceMapping: { app: 'app-2' } }, objects: [aClass('lateen')] });
    const { updatedItem, additionalItems } = await restoredBy(action(), content, context);
    const made = updatedItem as unknown as VolumeSnapshotContent;
    expect(made.metadata.name).toBe(hashOf('velero-data-1'));
    expect(made.spec).toEqual({
      deletionPolicy: 'Retain',
      driver: 'csi.lateen.dev',
      source: { snapshotHandle: 'snapshot-handle' },
      volumeSnapshotRef: {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        namespace: 'app-2',
        name: hashOf('velero-data-1'),
      },
      volumeSnapshotClassName: 'lateen',
      sourceVolumeMode: 'Filesystem',
    });
    expect(made.metadata.annotations).toEqual({
      'snapshot.storage.kubernetes.io/deletion-secret-name': 'csi',
      'snapshot.storage.kubernetes.io/deletion-secret-namespace': 'storage',
      ...must,
    });
    expect(additionalItems).toEqual([{ group: '', resource: 'secrets', namespace: 'storage', name: 'csi' }]);
  });

  it('without a handle is an error', async () => {
    const unready = aVolumeSnapshotContent({ status: { snapshotHandle: '' } });
    await expect(restoredBy(action(), unready, aRestoreContext())).rejects.toMatchObject({
      code: 'NO_SNAPSHOT_HANDLE',
    });
  });
});

it.each([
  ['volumesnapshot', snapshot],
  ['volumesnapshotcontent', aVolumeSnapshotContent()],
])('with restorePVs false, no %s is restored', async (kind, object) => {
  const context = aRestoreContext({ restore: { restorePVs: false } });
  expect(await restoredBy(actionFor(kind), object, context)).toMatchObject({ skipRestore: true });
});

it('the Secrets of a class are restored with it', async () => {
  const parameters = {
    'csi.storage.k8s.io/snapshotter-secret-name': 'csi',
    'csi.storage.k8s.io/snapshotter-secret-namespace': 'storage',
  };
  const action = actionFor('volumesnapshotclass');
  const result = await restoredBy(action, aClass('lateen', { parameters }), aRestoreContext());
  expect(result.additionalItems).toEqual([{ group: '', resource: 'secrets', namespace: 'storage', name: 'csi' }]);
  expect(result.updatedItem.metadata.annotations).toEqual(must);
  expect(await restoredBy(action, aClass('plain'), aRestoreContext())).not.toHaveProperty('additionalItems');
});
