import { type DataDownload, dataDownloadType, type PersistentVolumeClaim } from '@lateen/api-types';
import { aDataUpload, aPersistentVolumeClaim, aRestoreContext, restoredBy } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { claimDataAction } from './claim-data-action.ts';

const upload = aDataUpload({
  name: 'nightly-x',
  phase: 'Completed',
  spec: { sourcePVC: 'data', sourceNamespace: 'app', dataMoverConfig: null },
  status: { snapshotID: 'snap-1', nodeOS: 'linux', progress: { totalBytes: 4096, bytesDone: 4096 } },
});

const stored = aPersistentVolumeClaim({
  uid: 'claim-uid',
  volumeName: 'pv-data',
  annotations: { 'velero.io/data-upload-name': 'velero/nightly-x', 'velero.io/volume-snapshot-name': 'velero-data-1' },
});

const moved = { snapshotMoveData: true, csiSnapshotTimeout: '20m0s' };
const operationId = 'dd-restore-uid.claim-uid';
const downloads = (world: ReturnType<typeof aRestoreContext>): DataDownload[] => world.kube.all(dataDownloadType);
const run = (world: ReturnType<typeof aRestoreContext>, action = claimDataAction(), claim = stored) =>
  restoredBy(action, claim, world);
const specOf = (result: { updatedItem: object }) => (result.updatedItem as unknown as PersistentVolumeClaim).spec;
const warnings = (world: ReturnType<typeof aRestoreContext>) =>
  world.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);

describe('a claim with moved data', () => {
  it('gets a DataDownload and a selector that lets nothing else bind it', async () => {
    const world = aRestoreContext({
      archive: [upload],
      backup: moved,
      restore: {
        namespaceMapping: { app: 'app-2' },
        uploaderConfig: { parallelFilesDownload: 4, writeSparseFiles: true },
      },
    });
    const result = await run(world);
    expect(result.operationId).toBe(operationId);
    const [made] = downloads(world);
    expect(made).toMatchObject({
      metadata: {
        namespace: 'velero',
        labels: {
          'velero.io/restore-name': 'back',
          'velero.io/restore-uid': 'restore-uid',
          'velero.io/async-operation-id': operationId,
        },
        ownerReferences: [{ kind: 'Restore', name: 'back', uid: 'restore-uid', controller: true }],
      },
      spec: {
        targetVolume: { pvc: 'data', pv: '', namespace: 'app-2' },
        backupStorageLocation: 'default',
        snapshotID: 'snap-1',
        sourceNamespace: 'app',
        dataMoverConfig: { WriteSparseFiles: 'true', ParallelFilesDownload: '4' },
        operationTimeout: '20m0s',
        nodeOS: 'linux',
        snapshotSize: 4096,
      },
    });
    expect(made?.metadata.name).toMatch(/^back-.{5}$/);
    expect(specOf(result).volumeName).toBeUndefined();
    const own = specOf(result).selector?.matchLabels?.['velero.io/dynamic-pv-restore'];
    expect(own).toMatch(/^app-2\.data\.[0-9a-f]{5}$/);
    expect(world.noted.get('app-2/data')).toMatchObject({
      method: 'CSISnapshot',
      dataMoved: true,
      sizeBytes: 4096,
      operationId,
    });
  });

  it.each([
    [undefined, { WriteSparseFiles: 'false' }],
    [{ writeSparseFiles: false, parallelFilesDownload: 0 }, { WriteSparseFiles: 'false' }],
    [{ parallelFilesDownload: 2 }, { WriteSparseFiles: 'false', ParallelFilesDownload: '2' }],
    [{ directRestore: true }, { WriteSparseFiles: 'false' }],
    [{ directRestore: false }, { WriteSparseFiles: 'false', DirectRestore: 'false' }],
  ])('with uploader settings %j, the mover gets %j', async (uploaderConfig, expected) => {
    const world = aRestoreContext({
      archive: [upload],
      backup: moved,
      restore: uploaderConfig ? { uploaderConfig } : {},
    });
    await run(world);
    expect(downloads(world)[0]?.spec.dataMoverConfig).toEqual(expected);
  });

  it('keeps its own selector', async () => {
    const selector = { matchLabels: { disk: 'fast' }, matchExpressions: [{ key: 'a', operator: 'Exists' as const }] };
    const claim = { ...stored, spec: { ...stored.spec, selector } };
    const result = await run(aRestoreContext({ archive: [upload], backup: moved }), claimDataAction(), claim);
    expect(specOf(result).selector).toEqual({
      matchLabels: { disk: 'fast', 'velero.io/dynamic-pv-restore': expect.any(String) },
      matchExpressions: selector.matchExpressions,
    });
  });

  it('gets the same changes in a dry run, without a write', async () => {
    const world = aRestoreContext({ archive: [upload], backup: moved });
    const planned = await run(aRestoreContext({ archive: [upload], backup: moved, dryRun: true, cluster: world.kube }));
    expect(downloads(world)).toEqual([]);
    expect(planned.operationId).toBeUndefined();
    expect(planned.updatedItem).toEqual((await run(world)).updatedItem);
  });

  it.each([
    ['is not in the backup', []],
    [
      'is Failed: the volume is full',
      [aDataUpload({ ...partsOf('Failed'), status: { message: 'the volume is full' } })],
    ],
    ['is Canceled', [aDataUpload({ ...partsOf('Canceled'), status: { snapshotID: 'partial' } })]],
    ['is New', [aDataUpload({ name: 'nightly-x' })]],
  ])('is not restored with an empty volume when its DataUpload %s', async (is, archive) => {
    const world = aRestoreContext({ archive, backup: moved });
    await expect(run(world)).rejects.toThrow(
      `the data of PVC app/data is not in the backup: DataUpload velero/nightly-x ${is}`,
    );
    expect(downloads(world)).toEqual([]);
  });

  it('is restored with a new volume without data when restorePVs is false', async () => {
    const world = aRestoreContext({ backup: moved, restore: { restorePVs: false } });
    const source = { kind: 'VolumeSnapshot', name: 'old', apiGroup: 'snapshot.storage.k8s.io' };
    const claim = { ...stored, spec: { ...stored.spec, dataSource: source, dataSourceRef: source } };
    const { volumeName: _, ...expected } = stored.spec;
    expect(specOf(await run(world, claimDataAction(), claim))).toEqual(expected);
    expect(downloads(world)).toEqual([]);
  });

  it('that exists already keeps its data, with a warning', async () => {
    const world = aRestoreContext({
      archive: [upload],
      backup: moved,
      objects: [aPersistentVolumeClaim({ volumeName: 'pv-2' })],
    });
    const result = await run(world);
    expect(result.operationId).toBeUndefined();
    expect(downloads(world)).toEqual([]);
    expect(warnings(world)).toEqual([expect.stringContaining('exists already')]);
  });
});

describe('a restore that is repeated', () => {
  it('downloads the data when the existing claim is being deleted', async () => {
    const there = aPersistentVolumeClaim({ uid: 'other' });
    there.metadata.deletionTimestamp = '2030-01-01T00:00:00Z';
    there.metadata.finalizers = ['kubernetes.io/pvc-protection'];
    const world = aRestoreContext({ archive: [upload], backup: moved, objects: [there] });
    expect((await run(world)).operationId).toBe(operationId);
    expect(warnings(world)).toEqual([]);
    const plan = aRestoreContext({ archive: [upload], backup: moved, objects: [there], dryRun: true });
    await run(plan);
    expect([downloads(world).length, downloads(plan), warnings(plan)]).toEqual([1, [], []]);
  });

  it('finds the DataDownload of its earlier attempt, with and without the claim', async () => {
    const world = aRestoreContext({ archive: [upload], backup: moved });
    const first = await run(world);
    for (const claims of [0, 1]) {
      if (claims > 0) world.kube.put(first.updatedItem);
      const again = aRestoreContext({ archive: [upload], backup: moved, cluster: world.kube });
      expect(await run(again)).toEqual(first);
      expect(downloads(world)).toHaveLength(1);
      expect(warnings(again)).toEqual([]);
    }
  });

  it.each([
    ['has ended', { status: { phase: 'Failed' as const } }],
    ['is being cancelled', { spec: { cancel: true } }],
  ])('creates another DataDownload for a missing claim when the previous one %s', async (_how, body) => {
    const world = aRestoreContext({ archive: [upload], backup: moved });
    await run(world);
    const [first] = downloads(world);
    await world.kube.patch(
      dataDownloadType,
      { namespace: 'velero', name: first?.metadata.name ?? '' },
      { type: 'merge', body },
    );
    const again = aRestoreContext({ archive: [upload], backup: moved, cluster: world.kube });
    expect((await run(again)).operationId).toBe(operationId);
    const now = downloads(world);
    expect(now).toHaveLength(1);
    expect(now[0]?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  it('does not use the DataDownload of another restore of the same claim', async () => {
    const world = aRestoreContext({ archive: [upload], backup: moved });
    await run(world);
    const other = aRestoreContext({ archive: [upload], backup: moved, cluster: world.kube, restoreUid: 'another-uid' });
    await run(other);
    expect(downloads(world)).toHaveLength(2);
  });
});

describe('after the last item', () => {
  it('cancels the downloads whose claim was not created, and no others', async () => {
    const world = aRestoreContext({ archive: [upload], backup: moved });
    const action = claimDataAction();
    const { updatedItem } = await run(world, action);
    await run(
      world,
      action,
      aPersistentVolumeClaim({ name: 'logs', uid: 'logs-uid', annotations: stored.metadata.annotations ?? {} }),
    );
    world.kube.put(updatedItem);
    await action.endItems?.(world, new AbortController().signal);
    const canceled = downloads(world).map(({ spec }) => [spec.targetVolume.pvc, spec.cancel === true]);
    expect(canceled.sort()).toEqual([
      ['data', false],
      ['logs', true],
    ]);
  });
});

it('leaves a claim unchanged whose data was not moved', async () => {
  const world = aRestoreContext({ backup: moved });
  const claim = aPersistentVolumeClaim({ volumeName: 'pv' });
  expect(specOf(await run(world, claimDataAction(), claim))).toEqual(claim.spec);
});

function partsOf(phase: 'Failed' | 'Canceled') {
  return { name: 'nightly-x', phase };
}
