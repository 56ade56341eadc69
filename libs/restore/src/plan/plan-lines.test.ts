import type { BackupVolumeInfo, RestoreItemOutcome } from '@lateen/backup-store';
import { describe, expect, it } from 'vitest';
import { planLines } from './plan-lines.ts';

const claim: RestoreItemOutcome = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  namespace: 'shop-2',
  sourceNamespace: 'shop',
  name: 'data',
  act: 'create',
};

const info = (parts: Partial<BackupVolumeInfo>): BackupVolumeInfo => ({
  pvcNamespace: 'shop',
  pvcName: 'data',
  snapshotDataMoved: false,
  preserveLocalSnapshot: false,
  skipped: false,
  startTimestamp: '2030-01-01T00:00:00Z',
  completionTimestamp: '2030-01-01T00:01:40Z',
  ...parts,
});

const moved = (size: number, incrementalSize?: number) => ({
  snapshotDataMoved: true,
  snapshotDataMovementInfo: {
    dataMover: 'velero',
    uploaderType: 'kopia',
    snapshotHandle: 's',
    operationID: 'o',
    size,
    Phase: 'Completed',
    ...(incrementalSize === undefined ? {} : { incrementalSize }),
  },
});

const csi = { csiSnapshotInfo: { snapshotHandle: 's', size: 700, driver: 'd', vscName: 'c' } };

const ofPod = (volumeName: string, size: number) => ({
  uploaderType: 'kopia',
  volumeName,
  podName: 'web',
  podNamespace: 'shop',
  size,
  Phase: 'Completed',
});

describe('planLines', () => {
  it.each([
    [
      'moved data: its bytes, and the time that the backup took',
      info(moved(5_000)),
      { volumeBytes: 5_000, volumeSeconds: 100, volumeWay: 'DataDownload' },
    ],
    [
      'an increment: as much longer as there is more',
      info(moved(5_000, 500)),
      { volumeBytes: 5_000, volumeSeconds: 1_000, volumeWay: 'DataDownload' },
    ],
    [
      'nothing new since the backup before: no rate to go by',
      info(moved(5_000, 0)),
      { volumeBytes: 5_000, volumeWay: 'DataDownload' },
    ],
    [
      'no times: no rate to go by',
      { ...info(moved(5_000)), completionTimestamp: '' },
      { volumeBytes: 5_000, volumeWay: 'DataDownload' },
    ],
    ['little data: a second', info(moved(0)), { volumeBytes: 0, volumeWay: 'DataDownload' }],
    ['a snapshot: its bytes, which nobody moves', info(csi), { volumeBytes: 700, volumeWay: 'CSISnapshot' }],
    [
      'what comes back through the file system',
      info({ pvbInfo: ofPod('data', 300) }),
      { volumeBytes: 300, volumeSeconds: 100, volumeWay: 'PodVolumeRestore' },
    ],
    ['a volume that was left out', info({ ...moved(1), skipped: true }), {}],
    ['another claim', info({ ...moved(1), pvcName: 'other' }), {}],
  ])('tells of %s', (_, volume, figures) => {
    expect([...planLines({ items: [claim] }, [volume])]).toEqual([{ ...claim, ...figures }]);
  });

  it('has no data for claims that stay as they are, and for other objects', () => {
    const items: RestoreItemOutcome[] = [
      { ...claim, act: 'conflict' },
      { ...claim, kind: 'Pod', act: 'create' },
    ];
    expect([...planLines({ items }, [info(moved(5_000))])]).toEqual(items);
  });

  it('tells of volumes without a claim with their pod', () => {
    const pod: RestoreItemOutcome = { ...claim, kind: 'Pod', name: 'web' };
    const { pvcName: _, pvcNamespace: __, ...alone } = info({ pvbInfo: ofPod('cache', 40) });
    expect([
      ...planLines({ items: [pod, { ...pod, act: 'conflict' }] }, [alone, info({ pvbInfo: ofPod('data', 1) })]),
    ]).toEqual([
      { ...pod, podVolumes: [{ volume: 'cache', bytes: 40, seconds: 100 }] },
      { ...pod, act: 'conflict' },
    ]);
  });

  it('ends with what waits for what', () => {
    const edge = { earlier: 'namespace shop-2 is there', later: 'persistentvolumeclaims shop/data', why: 'namespace' };
    expect([...planLines({ items: [claim], order: [edge] }, [])]).toEqual([claim, edge]);
  });
});
