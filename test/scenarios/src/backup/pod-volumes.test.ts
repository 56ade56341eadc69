import { podType, podVolumeBackupType } from '@lateen/api-types';
import { podVolumeOptionsDefault } from '@lateen/backup';
import { aConfigMap, aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupWorlds } from './backup-worlds.ts';
import { anAgent, aReadPod, claimVolume, emptyDir, ofShop, podVolumeWorlds } from './pod-volume-world.ts';

/*
 * Volumes that are read through the file system of a running pod. There are no node-agents: the test writes to the PodVolumeBackups what a
 * node-agent would write.
 */

const worlds = backupWorlds();

const podVolumeWorld = podVolumeWorlds(worlds);

const data = [
  aPersistentVolumeClaim({ name: 'data', namespace: 'shop', volumeName: 'pv-data', uid: 'uid-of-data' }),
  aPersistentVolume({ name: 'pv-data', labels: { tier: 'fast' }, claim: { namespace: 'shop', name: 'data' } }),
];

describe('volumes that are read through the file system of a pod', () => {
  it('are requested with PodVolumeBackups as Velero creates them', async () => {
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

  it('are read in full in a backup of type Full', async () => {
    const { world, volumes } = podVolumeWorld([...data, aReadPod('db', [claimVolume('data')])]);
    await world.create('b', { ...ofShop, backupType: 'Full' });
    expect(volumes.find('db/data').spec.parentSnapshot).toBe('none');
  });

  it('are in the bucket when all have ended: the PodVolumeBackups, and how each volume was backed up', async () => {
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

/** Runs a backup in which all PodVolumeBackups complete immediately. */
async function backedUp(made: ReturnType<typeof podVolumeWorld>, spec = {}) {
  const { world, volumes } = made;
  await world.create('b', { ...ofShop, ...spec });
  const read = volumes.names();
  for (const name of read) await volumes.complete(name);
  const { status } = await world.until('b', 'Completed', 'PartiallyFailed');
  return { read, phase: status?.phase, ...(await made.told()) };
}

describe('which volumes are read', () => {
  const optOut = { 'backup.velero.io/backup-volumes': '', 'backup.velero.io/backup-volumes-excludes': 'cache' };
  const policies = `version: v1
volumePolicies:
- conditions: {storageClass: [slow]}
  action: {type: fs-backup}
- conditions: {volumeTypes: [emptyDir]}
  action: {type: skip}
- conditions: {}
  action: {type: custom}
`;

  it('are those that annotations of the pod name', async () => {
    const volumes = [emptyDir('cache'), emptyDir('logs')];
    const made = podVolumeWorld([
      aReadPod('db', volumes, { annotations: { 'backup.velero.io/backup-volumes': 'logs' } }),
    ]);
    expect(await backedUp(made)).toMatchObject({ read: ['db/logs'], phase: 'Completed', warnings: [] });
  });

  it('are all that the pod does not exclude, when the backup or the server says so', async () => {
    const pods = [aReadPod('db', [emptyDir('cache'), emptyDir('logs')], { annotations: optOut })];
    const { read } = await backedUp(podVolumeWorld(pods), { defaultVolumesToFsBackup: true });
    const byServer = await backedUp(podVolumeWorld(pods, { settings: { defaultVolumesToFsBackup: true } }));
    expect([read, byServer.read]).toEqual([['db/logs'], ['db/logs']]);
  });

  it('are decided by the volume policies first', async () => {
    const made = podVolumeWorld([
      aConfigMap({ name: 'policies', namespace: 'velero', data: { policies } }),
      aPersistentVolumeClaim({ name: 'data', namespace: 'shop', volumeName: 'pv-data' }),
      aPersistentVolume({
        name: 'pv-data',
        spec: { storageClassName: 'slow' },
        claim: { namespace: 'shop', name: 'data' },
      }),
      aPersistentVolumeClaim({ name: 'other', namespace: 'shop', volumeName: 'pv-other' }),
      aPersistentVolume({ name: 'pv-other', claim: { namespace: 'shop', name: 'other' } }),
      aReadPod('db', [emptyDir('cache'), claimVolume('data'), claimVolume('other')], {
        annotations: { 'backup.velero.io/backup-volumes': 'cache,other' },
      }),
    ]);
    const { read } = await backedUp(made, { resourcePolicy: { kind: 'configmap', name: 'policies' } });
    expect(read).toEqual(['db/data']);
    expect(await made.reasons()).toEqual({
      other: 'podvolume: volume policy 3 says custom;volumeSnapshot: volume policy 3 says custom;',
    });
  });

  it('include a claim that several pods mount once, with the first pod that can be read', async () => {
    const pods = [
      aReadPod('a', [claimVolume('data')], { phase: 'Pending' }),
      aReadPod('b', [claimVolume('data'), emptyDir('own')]),
      aReadPod('c', [claimVolume('files', 'data')], { node: 'node-2' }),
    ];
    const { read, warnings, phase } = await backedUp(podVolumeWorld([...data, ...pods]));
    expect(read).toHaveLength(2);
    expect(read).toContain('b/own');
    expect(['b/data', 'c/files']).toContain(read.find((name) => name !== 'b/own'));
    expect([phase, warnings]).toEqual([
      'Completed',
      [expect.stringContaining('pod volume data is not backed up: the pod is not running, its phase is Pending')],
    ]);
  });

  it('do not include volumes without readable files; those that look backed up cause a warning', async () => {
    const pod = aReadPod(
      'db',
      [claimVolume('data'), emptyDir('unmounted'), { name: 'host', hostPath: { path: '/' } }],
      {
        spec: { containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
      },
    );
    const [claim, volume] = data;
    const block = { ...claim, spec: { ...claim?.spec, volumeMode: 'Block' } } as typeof claim;
    const { read, warnings, phase } = await backedUp(
      podVolumeWorld([block, volume, pod].filter((each) => each !== undefined)),
      { snapshotVolumes: false },
    );
    expect([read, phase]).toEqual([[], 'Completed']);
    expect(warnings.sort()).toEqual([
      expect.stringContaining('pod volume data is not backed up: it is a block volume'),
      expect.stringContaining(
        'pod volume host is not backed up: hostPath volumes are not read through the file system',
      ),
      expect.stringContaining('pod volume unmounted is not backed up: no container of the pod mounts it'),
    ]);
  });

  it('include the claim of an ephemeral volume', async () => {
    const claim = aPersistentVolumeClaim({ name: 'db-scratch', namespace: 'shop', volumeName: 'pv-s', uid: 'uid-s' });
    const pod = aReadPod('db', [{ name: 'scratch', ephemeral: { volumeClaimTemplate: {} } }]);
    const made = podVolumeWorld([claim, pod]);
    await made.world.create('b', ofShop);
    expect(made.volumes.find('db/scratch').metadata).toMatchObject({
      annotations: { 'velero.io/pvc-name': 'db-scratch' },
      labels: { 'velero.io/pvc-uid': 'uid-s' },
    });
  });
});

describe('volumes that cannot be read now', () => {
  const refused = async (made: ReturnType<typeof podVolumeWorld>) => {
    const { read, phase, errors } = await backedUp(made);
    expect([read, phase]).toEqual([[], 'PartiallyFailed']);
    expect(await made.world.stored.archived('b')).toContain('pods/shop/db');
    return errors;
  };
  const db = aReadPod('db', [emptyDir('cache'), claimVolume('data')], { node: 'node-9' });

  it('are an error each when no node-agent runs on the node of their pod', async () => {
    const made = podVolumeWorld([...data, anAgent('node-9', 'Pending'), db]);
    const errors = await refused(made);
    const text = 'daemonset pod not found in running state in node node-9';
    expect(errors.sort()).toEqual([
      ` resource: /pods name: /db message: /Error backing up pod volume cache: ${text}`,
      ` resource: /pods name: /db message: /Error backing up pod volume data: ${text}`,
    ]);
    expect(await made.reasons()).toEqual({
      data: `podvolume: ${text};volumeSnapshot: pod db has it read through the file system;`,
    });
    expect(await made.outcomes()).toEqual([
      expect.objectContaining({
        name: 'db',
        outcome: 'Failed',
        reason: expect.stringContaining('volume cache: daemonset'),
      }),
    ]);
  });

  it('are found when their node-agent has started since an earlier backup', async () => {
    const early = aReadPod('a', [emptyDir('cache')], { node: 'node-9' });
    const late = aReadPod('b', [emptyDir('cache')], { node: 'node-9' });
    const made = podVolumeWorld([early]);
    await made.world.create('b1', ofShop);
    await made.world.until('b1', 'PartiallyFailed');
    made.world.cluster.put(anAgent('node-9'), late);
    await made.world.create('b', ofShop);
    expect(made.volumes.names()).toEqual(['a/cache', 'b/cache']);
  });

  it('are rejected with a clear error, and nothing is created, when pod volumes are disabled', async () => {
    const settings = { podVolumes: { ...podVolumeOptionsDefault, enabled: false } };
    const errors = await refused(podVolumeWorld([...data, anAgent('node-9'), db], { settings }));
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain('pod volumes are switched off in this installation (--use-pod-volumes=false)');
  });

  it('are an error each when their PodVolumeBackup is rejected', async () => {
    const made = podVolumeWorld([...data, anAgent('node-9'), db]);
    made.world.cluster.failTimes(9, 'create', podVolumeBackupType, 'KUBE_FORBIDDEN');
    const errors = await refused(made);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatch(/Error backing up pod volume (cache|data): injected/);
  });

  it('are an error each when PodVolumeBackups may not be watched', async () => {
    const made = podVolumeWorld([...data, anAgent('node-9'), db]);
    made.world.cluster.failTimes(1_000, 'list', podVolumeBackupType, 'KUBE_FORBIDDEN');
    const errors = await refused(made);
    expect(errors.filter((line) => line.includes('PodVolumeBackups cannot be watched: injected'))).toHaveLength(2);
  });
});

describe('hundreds of volumes', () => {
  it('are all requested at once, with one list of node-agents and one watch', async () => {
    const pods = Array.from({ length: 60 }, (_, at) =>
      aReadPod(`pod-${at}`, [emptyDir('cache'), emptyDir('logs')], { node: `node-${1 + (at % 2)}` }),
    );
    const made = podVolumeWorld(pods);
    const { world, volumes } = made;
    await world.create('b', ofShop);
    expect(volumes.names()).toHaveLength(120);
    expect(world.phase('b')).toBe('InProgress');
    for (const name of volumes.names()) await volumes.complete(name);
    await world.until('b', 'Completed');
    const types: readonly string[] = [podType.resource, podVolumeBackupType.resource];
    const calls = world.cluster.calls.filter(
      ({ type, key }) => types.includes(type.resource) && key.namespace === 'velero',
    );
    const count = Object.groupBy(calls, ({ verb, type }) => `${verb} ${type.resource}`);
    expect(Object.fromEntries(Object.entries(count).map(([call, those]) => [call, those?.length]))).toEqual({
      'list pods': 1,
      'list podvolumebackups': 1,
      'watch podvolumebackups': 1,
      'create podvolumebackups': 120,
    });
  });
});
