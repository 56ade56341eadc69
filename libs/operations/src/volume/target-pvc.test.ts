import type { DataUpload } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { sourceOf } from './download-source.ts';
import { dataDownloadFor } from './download-volume.ts';
import { targetPvc } from './ensure-target-pvc.ts';

const upload = (status: DataUpload['status']): DataUpload => ({
  apiVersion: 'velero.io/v2alpha1',
  kind: 'DataUpload',
  metadata: { namespace: 'velero', name: 'data-1' },
  spec: {
    snapshotType: 'CSI',
    csiSnapshot: { volumeSnapshot: 's', storageClass: 'fast' },
    sourcePVC: 'data',
    sourceNamespace: 'shop',
    backupStorageLocation: 'default',
    operationTimeout: '10m',
  },
  ...(status === undefined ? {} : { status }),
});
const target = { namespace: 'restored', pvc: 'data' };

describe('the source and target of a download', () => {
  it('come from a completed upload', () => {
    const source = sourceOf(upload({ phase: 'Completed', snapshotID: 'ab', progress: { totalBytes: 7 } }));
    expect(source).toEqual({
      snapshotId: 'ab',
      sourceNamespace: 'shop',
      storageLocation: 'default',
      snapshotSizeBytes: 7,
      storageClass: 'fast',
      sourcePvc: 'data',
      uploaderType: undefined,
    });
    const made = targetPvc({ target, size: '2Gi' }, source, undefined, 'x7k2p');
    expect(made.spec).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '2Gi' } },
      selector: { matchLabels: { 'velero.io/dynamic-pv-restore': 'restored.data.x7k2p' } },
    });
  });
  it('use volumeMode Block when asked for', () => {
    const source = sourceOf(upload({ phase: 'Completed', snapshotID: 'ab' }));
    const made = (more: object) => targetPvc({ target, size: '2Gi', ...more }, source, undefined, 'x').spec.volumeMode;
    expect([made({}), made({ volumeMode: 'Block' })]).toEqual(['Filesystem', 'Block']);
  });
  it('keep the engine of the upload, because no other engine can restore its snapshot', () => {
    const done = upload({ phase: 'Completed', snapshotID: 'ab' });
    done.spec.dataMoverConfig = { UploaderType: 'restic', ParallelFilesUpload: '3' };
    const source = sourceOf(done);
    const common = { target, source, veleroNamespace: 'velero', operationTimeoutMs: 1_000 };
    const configOf = (dataMoverConfig: Record<string, string>) =>
      dataDownloadFor({ ...common, dataMoverConfig }, 'uid', 'op').spec.dataMoverConfig;
    expect(configOf({})).toEqual({ WriteSparseFiles: 'true', UploaderType: 'restic' });
    expect(configOf({ UploaderType: 'kopia' })).toMatchObject({ UploaderType: 'kopia' });
  });
  it('are rejected while the upload has not completed, with its phase and message', () => {
    expect(() => sourceOf(upload({ phase: 'Failed', message: 'no space' }))).toThrow(
      'DataUpload velero/data-1 is Failed (no space), so there is nothing to download',
    );
    expect(() => sourceOf(upload(undefined))).toThrow('is New');
  });
  it('name the missing flags for creating the PVC', () => {
    const source = { snapshotId: 'ab', sourceNamespace: 'shop', storageLocation: 'default' };
    expect(() => targetPvc({ target }, source, undefined, 'x')).toThrow('--size and --storage-class is not given');
  });
});
