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
      'moved data: its size and the duration of the backup',
      info(moved(5_000)),
      { volumeBytes: 5_000, volumeSeconds: 100, volumeWay: 'DataDownload' },
    ],
    [
      'an increment: a duration scaled to the full size',
      info(moved(5_000, 500)),
      { volumeBytes: 5_000, volumeSeconds: 1_000, volumeWay: 'DataDownload' },
    ],
    [
      'an increment without new data: no duration',
      info(moved(5_000, 0)),
      { volumeBytes: 5_000, volumeWay: 'DataDownload' },
    ],
    [
      'missing timestamps: no duration',
      { ...info(moved(5_000)), completionTimestamp: '' },
      { volumeBytes: 5_000, volumeWay: 'DataDownload' },
    ],
    ['zero bytes: no duration', info(moved(0)), { volumeBytes: 0, volumeWay: 'DataDownload' }],
    [
      'a snapshot: its size and no duration, because no data is moved',
      info(csi),
      { volumeBytes: 700, volumeWay: 'CSISnapshot' },
    ],
    [
      'files of a pod volume',
      info({ pvbInfo: ofPod('data', 300) }),
      { volumeBytes: 300, volumeSeconds: 100, volumeWay: 'PodVolumeRestore' },
    ],
    ['a skipped volume', info({ ...moved(1), skipped: true }), {}],
    ['another claim', info({ ...moved(1), pvcName: 'other' }), {}],
  ])('reports %s', (_, volume, figures) => {
    expect([...planLines({ items: [claim] }, [volume])]).toEqual([{ ...claim, ...figures }]);
  });

  it('reports no data for claims that stay unchanged and for other objects', () => {
    const items: RestoreItemOutcome[] = [
      { ...claim, act: 'conflict' },
      { ...claim, kind: 'Pod', act: 'create' },
    ];
    expect([...planLines({ items }, [info(moved(5_000))])]).toEqual(items);
  });

  it('reports volumes without a claim with their pod', () => {
    const pod: RestoreItemOutcome = { ...claim, kind: 'Pod', name: 'web' };
    const { pvcName: _, pvcNamespace: __, ...alone } = info({ pvbInfo: ofPod('cache', 40) });
    expect([
      ...planLines({ items: [pod, { ...pod, act: 'conflict' }] }, [alone, info({ pvbInfo: ofPod('data', 1) })]),
    ]).toEqual([
      { ...pod, podVolumes: [{ volume: 'cache', bytes: 40, seconds: 100 }] },
      { ...pod, act: 'conflict' },
    ]);
  });

  it('ends with the dependencies', () => {
    const edge = { earlier: 'namespace shop-2 is there', later: 'persistentvolumeclaims shop/data', why: 'namespace' };
    expect([...planLines({ items: [claim], order: [edge] }, [])]).toEqual([claim, edge]);
  });
});
