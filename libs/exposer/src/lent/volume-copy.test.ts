import { aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { claimOnCopy, volumeCopy } from './volume-copy.ts';

const owner = { apiVersion: 'velero.io/v1', kind: 'PodVolumeBackup', namespace: 'velero', name: 'pvb', uid: 'm-1' };

describe('the second PersistentVolume for a volume', () => {
  const volume = aPersistentVolume({
    annotations: {
      'pv.kubernetes.io/provisioned-by': 'csi.lateen.dev',
      'volume.beta.kubernetes.io/mount-options': 'nfsvers=3',
    },
    labels: { zone: 'a' },
    claim: { namespace: 'app', name: 'data', uid: 'c-1' },
    spec: { persistentVolumeReclaimPolicy: 'Delete', mountOptions: ['noatime'] },
  });
  const copy = volumeCopy(owner, volume);

  it('has the same mount options, is reserved for one claim, and retains the data when deleted', () => {
    expect(copy.metadata).toEqual({
      name: 'lateen-m-1',
      labels: { 'lateen.dev/lent-to': 'm-1' },
      annotations: { 'volume.beta.kubernetes.io/mount-options': 'nfsvers=3' },
    });
    expect(copy.spec).toEqual({
      ...volume.spec,
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'velero', name: 'pvb' },
    });
  });

  it('is bound by a claim that matches the volume, whatever the original claim requests now', () => {
    const growing = aPersistentVolumeClaim({
      volumeName: 'pv-data',
      storage: '5Gi',
      spec: { volumeAttributesClassName: 'gold', selector: { matchLabels: { zone: 'a' } } },
    });
    const { storageClassName: _, ...withoutClass } = growing.spec;
    const { storageClassName: __, ...ofNoClass } = copy.spec;
    expect(claimOnCopy(owner, growing, copy).spec).toEqual({
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'lateen',
      volumeMode: 'Filesystem',
      volumeName: 'lateen-m-1',
      resources: { requests: { storage: '1Gi' } },
    });
    expect(
      claimOnCopy(owner, { ...growing, spec: withoutClass }, { ...copy, spec: ofNoClass }).spec.storageClassName,
    ).toBe('');
  });
});
