import type { VolumeSnapshotClass } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { chooseClass, groupSnapshotClassKind, snapshotClassKind } from './choose-class.ts';

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
  const choose = (classes: VolumeSnapshotClass[], named?: string) =>
    chooseClass(snapshotClassKind, 'd', classes, named).metadata.name;

  it('chooses the named class, then the label, then the default class, then the only one', () => {
    const all = [aClass('plain'), marked, labelled];
    expect(choose(all, 'plain')).toBe('plain');
    expect(choose(all)).toBe('labelled');
    expect(choose([aClass('plain'), marked])).toBe('marked');
    expect(choose([aClass('plain'), aClass('other', 'e')])).toBe('plain');
    expect(choose([aClass('plain')], '')).toBe('plain');
  });

  it('uses separate labels for classes of groups', () => {
    const ofGroups = aClass('groups', 'd', { labels: { 'velero.io/csi-volumegroupsnapshot-class': 'true' } });
    expect(chooseClass(groupSnapshotClassKind, 'd', [labelled, ofGroups], undefined)).toBe(ofGroups);
  });

  it.each([
    [[], undefined, 'no VolumeSnapshotClass has the driver d'],
    [[aClass('a'), aClass('b')], undefined, '2 VolumeSnapshotClasses have the driver d: a, b'],
    [[aClass('a')], 'b', 'VolumeSnapshotClass "b" does not exist'],
    [[aClass('a', 'e')], 'a', 'VolumeSnapshotClass "a" is of driver e, but the volume is of driver d'],
  ])('rejects %j with the name %j', (classes, name, message) => {
    expect(() => choose(classes, name)).toThrow(message);
  });
});
