import type { PersistentVolumeClaim, VolumeSnapshotClass } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { chooseSnapshotClass } from './choose-snapshot-class.ts';

const pvc = (annotations: Record<string, string> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'shop', name: 'data', annotations },
  spec: {},
});
const aClass = (
  name: string,
  driver = 'd',
  metadata: Partial<VolumeSnapshotClass['metadata']> = {},
): VolumeSnapshotClass => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name, ...metadata },
  driver,
  deletionPolicy: 'Delete',
});
const labelled = aClass('labelled', 'd', { labels: { 'velero.io/csi-volumesnapshot-class': '' } });
const marked = aClass('marked', 'd', { annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'false' } });

describe('choosing the VolumeSnapshotClass', () => {
  it('takes the one named, then the annotation of the PVC, then the label, then the default mark, then the only one', () => {
    const all = [aClass('plain'), labelled, marked];
    const annotated = pvc({ 'velero.io/csi-volumesnapshot-class': 'plain' });
    expect(chooseSnapshotClass(annotated, 'd', all, 'marked').metadata.name).toBe('marked');
    expect(chooseSnapshotClass(annotated, 'd', all).metadata.name).toBe('plain');
    expect(chooseSnapshotClass(pvc(), 'd', all).metadata.name).toBe('labelled');
    expect(chooseSnapshotClass(pvc(), 'd', [aClass('plain'), marked]).metadata.name).toBe('marked');
    expect(chooseSnapshotClass(pvc(), 'd', [aClass('plain'), aClass('other', 'e')]).metadata.name).toBe('plain');
  });
  it.each([
    [[], undefined, 'no VolumeSnapshotClass has the driver d'],
    [[aClass('a'), aClass('b')], undefined, '2 VolumeSnapshotClasses have the driver d: a, b'],
    [[aClass('a')], 'b', 'VolumeSnapshotClass "b" does not exist'],
    [[aClass('a', 'e')], 'a', 'VolumeSnapshotClass "a" is of driver e, but the volume is of driver d'],
  ])('refuses %j with the name %j', (classes, name, message) => {
    expect(() => chooseSnapshotClass(pvc(), 'd', classes, name)).toThrow(message);
  });
});
