import type { StorageClass, VolumeSnapshotClass } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { chooseStorageClass } from './find-existing-lateen.ts';

const storage = (name: string, provisioner: string, isDefault = false): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) } },
  provisioner,
});
const snapshots = (driver: string): VolumeSnapshotClass => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: `snap-${driver}` },
  driver,
  deletionPolicy: 'Delete',
});

describe('the storage class on an existing cluster', () => {
  it('is the default one if its driver can take snapshots, else the first whose driver can', () => {
    const classes = [storage('a', 'x'), storage('b', 'y'), storage('c', 'z', true)];
    expect(chooseStorageClass(classes, [snapshots('y'), snapshots('z')])).toBe('c');
    expect(chooseStorageClass(classes, [snapshots('y')])).toBe('b');
  });
  it('is an error with the next step when no driver can', () => {
    expect(() => chooseStorageClass([storage('a', 'x')], [])).toThrow('no StorageClass of this cluster');
  });
});
