import { configMapType } from '@lateen/api-types';
import { aDataUpload, aRestoreContext, restoredBy } from '@lateen/testing';
import { expect, it } from 'vitest';
import { dataUploadAction } from './data-upload-action.ts';

const upload = aDataUpload({
  name: 'nightly-x',
  phase: 'Completed',
  spec: { sourcePVC: 'data', sourceNamespace: 'app', datamover: 'velero' },
  status: { snapshotID: 'snap-1', dataMoverResult: { a: 'b' }, progress: { totalBytes: 4096 } },
});

it('is not restored itself, but its result is stored in a ConfigMap for the restore', async () => {
  const world = aRestoreContext();
  expect(await restoredBy(dataUploadAction(), upload, world)).toMatchObject({ skipRestore: true });
  const [made, ...others] = world.kube.all(configMapType, 'velero');
  expect(others).toEqual([]);
  expect(made?.metadata.name).toMatch(/^nightly-x-.{5}$/);
  expect(made?.metadata.labels).toEqual({
    'velero.io/restore-uid': 'restore-uid',
    'velero.io/pvc-namespace-name': 'app.data',
    'velero.io/resource-usage': 'DataUpload',
  });
  expect(JSON.parse(made?.data?.['restore-uid'] ?? '')).toEqual({
    backupStorageLocation: 'default',
    datamover: 'velero',
    snapshotID: 'snap-1',
    sourceNamespace: 'app',
    dataMoverResult: { a: 'b' },
    snapshotSize: 4096,
  });
});

it('creates the ConfigMap once when the restore is repeated', async () => {
  const world = aRestoreContext();
  const action = dataUploadAction();
  await restoredBy(action, upload, world);
  await restoredBy(action, upload, world);
  await restoredBy(dataUploadAction(), upload, aRestoreContext({ cluster: world.kube }));
  expect(world.kube.all(configMapType, 'velero')).toHaveLength(1);
});

it.each([
  ['a dry run', upload, true],
  ['a failed upload', aDataUpload({ phase: 'Failed' }), false],
])('makes no ConfigMap for %s', async (_what, item, dryRun) => {
  const world = aRestoreContext({ dryRun });
  expect(await restoredBy(dataUploadAction(), item, world)).toMatchObject({ skipRestore: true });
  expect(world.kube.all(configMapType, 'velero')).toEqual([]);
});
