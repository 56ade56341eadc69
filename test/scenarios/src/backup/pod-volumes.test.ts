import { aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { BackupWorldOptions } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { aReadPod, claimVolume, emptyDir, ofShop, PodVolumePlayer, shop } from './pod-volume-world.ts';

/*
 * Volumes that are read through the file system of a running pod. The node-agents are played: the test writes what they write on the
 * PodVolumeBackups.
 */

const worlds = backupWorlds();

function podVolumeWorld(objects: BackupWorldOptions['objects'] = [], options: BackupWorldOptions = {}) {
  const world = worlds.running({ objects: [...shop, ...objects], ...options });
  const volumes = new PodVolumePlayer(world);
  const warningsAndErrors = async (name = 'b') => {
    const { warnings, errors } = (await world.stored.files.getResults(name)) ?? { warnings: {}, errors: {} };
    return { warnings: warnings.namespaces?.shop ?? [], errors: errors.namespaces?.shop ?? [] };
  };
  return { world, volumes, warningsAndErrors };
}

const data = [
  aPersistentVolumeClaim({ name: 'data', namespace: 'shop', volumeName: 'pv-data', uid: 'uid-of-data' }),
  aPersistentVolume({ name: 'pv-data', labels: { tier: 'fast' }, claim: { namespace: 'shop', name: 'data' } }),
];

describe('volumes of a pod that are read through the file system', () => {
  it('are asked for by PodVolumeBackups as the reference makes them', async () => {
    const pod = aReadPod('db', [claimVolume('files', 'data'), emptyDir('cache')]);
    const { world, volumes } = podVolumeWorld([...data, pod]);
    await world.create('b', { ...ofShop, uploaderConfig: { parallelFilesUpload: 3 } });
    expect(world.phase('b')).toBe('InProgress');
    expect(volumes.names()).toEqual(['db/cache', 'db/files']);
    const uid = world.backup('b')?.metadata.uid;
    const podUid = pod.metadata.uid;
    expect(volumes.find('db/files')).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^b-\w{5}$/),
        namespace: 'velero',
        generateName: 'b-',
        labels: { 'velero.io/backup-name': 'b', 'velero.io/backup-uid': uid, 'velero.io/pvc-uid': 'uid-of-data' },
        annotations: { 'velero.io/pvc-name': 'data' },
        ownerReferences: [{ apiVersion: 'velero.io/v1', kind: 'Backup', name: 'b', uid, controller: true }],
      },
      spec: {
        node: 'node-1',
        pod: { kind: 'Pod', namespace: 'shop', name: 'db', uid: podUid },
        volume: 'files',
        backupStorageLocation: 'default',
        repoIdentifier: '',
        uploaderType: 'kopia',
        tags: {
          backup: 'b',
          'backup-uid': uid,
          pod: 'db',
          'pod-uid': podUid,
          ns: 'shop',
          volume: 'files',
          'pvc-uid': 'uid-of-data',
        },
        uploaderSettings: { ParallelFilesUpload: '3' },
      },
    });
    expect(volumes.find('db/cache').metadata.annotations).toBeUndefined();
    expect(volumes.find('db/cache').metadata.labels).not.toHaveProperty(['velero.io/pvc-uid']);
    expect(volumes.find('db/cache').spec.tags).not.toHaveProperty(['pvc-uid']);
  });

  it('are in the bucket when all have ended: the objects, and how each volume was backed up', async () => {
    const { world, volumes } = podVolumeWorld([...data, aReadPod('db', [claimVolume('data'), emptyDir('cache')])]);
    await world.create('b', ofShop);
    await volumes.complete('db/cache');
    expect(world.phase('b')).toBe('InProgress');
    await volumes.complete('db/data', { incrementalBytes: 7 });
    expect((await world.until('b', 'Completed', 'PartiallyFailed')).status).toMatchObject({ phase: 'Completed' });
    const stored = await world.stored.files.getPodVolumeBackups('b');
    expect(stored.map(({ spec, status }) => [spec.volume, status?.phase, status?.snapshotID]).sort()).toEqual([
      ['cache', 'Completed', 'snapshot-of-db/cache'],
      ['data', 'Completed', 'snapshot-of-db/data'],
    ]);
    const read = {
      backupMethod: 'PodVolumeBackup',
      snapshotDataMoved: false,
      preserveLocalSnapshot: false,
      skipped: false,
      startTimestamp: '2030-01-01T00:00:01Z',
      completionTimestamp: '2030-01-01T00:00:02Z',
      result: 'succeeded',
    };
    const pvbInfo = { uploaderType: 'kopia', podName: 'db', podNamespace: 'shop', nodeName: 'node-1', size: 1024 };
    expect(await world.stored.files.getVolumeInfo('b')).toEqual([
      {
        ...read,
        pvbInfo: { ...pvbInfo, volumeName: 'cache', snapshotHandle: 'snapshot-of-db/cache', Phase: 'Completed' },
      },
      {
        ...read,
        pvcName: 'data',
        pvcNamespace: 'shop',
        pvName: 'pv-data',
        pvbInfo: {
          ...pvbInfo,
          volumeName: 'data',
          snapshotHandle: 'snapshot-of-db/data',
          incrementalSize: 7,
          Phase: 'Completed',
        },
        pvInfo: { reclaimPolicy: 'Delete', labels: { tier: 'fast' } },
      },
    ]);
    expect(await world.stored.archived('b')).toContain('pods/shop/db');
  });
});
