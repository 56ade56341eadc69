import { dataUploadType, type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { fakeCluster } from '../cluster/fake-cluster.ts';
import { aDataUpload } from './data-movement.ts';
import { aBackupStorageLocation } from './locations.ts';
import { aVolumeSnapshot } from './snapshots.ts';
import { aPersistentVolumeClaim } from './volumes.ts';
import { aPod, aSecret } from './workloads.ts';

describe('builders', () => {
  it('contain only what the test sets plus valid defaults, and a new object has no status', () => {
    expect(aDataUpload()).not.toHaveProperty('status');
    const upload = aDataUpload({ name: 'du', phase: 'Accepted', cancel: true, spec: { sourceNamespace: 'shop' } });
    expect(upload).toMatchObject({
      metadata: { name: 'du', namespace: 'velero', uid: 'dataupload-velero-du' },
      spec: { cancel: true, sourceNamespace: 'shop', snapshotType: 'CSI' },
      status: { phase: 'Accepted' },
    });
  });

  it('can remove a default', () => {
    expect(aBackupStorageLocation({ phase: undefined })).not.toHaveProperty('status');
    expect(aVolumeSnapshot({ content: undefined, readyToUse: false }).status).toEqual({
      readyToUse: false,
      restoreSize: '1Gi',
    });
  });

  it('bind a claim to its volume', () => {
    const phases = (claim: PersistentVolumeClaim) => [claim.status?.phase, claim.spec.volumeName];
    expect(phases(aPersistentVolumeClaim())).toEqual(['Pending', undefined]);
    expect(phases(aPersistentVolumeClaim({ volumeName: 'pv' }))).toEqual(['Bound', 'pv']);
  });

  it('store secrets as the API does', () => {
    expect(aSecret({ values: { key: 'välue' } }).data).toEqual({ key: Buffer.from('välue').toString('base64') });
  });

  it('fit into the fake cluster, status included', async () => {
    const cluster = fakeCluster({
      objects: [aDataUpload({ phase: 'Prepared' }), aPod({ phase: 'Running', nodeName: 'n' })],
    });
    await expect(cluster.get(dataUploadType, { namespace: 'velero', name: 'upload' })).resolves.toMatchObject({
      status: { phase: 'Prepared' },
    });
    expect(cluster.all(persistentVolumeClaimType)).toEqual([]);
  });
});
