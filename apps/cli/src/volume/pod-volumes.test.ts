import { type PodVolumeBackup, type PodVolumeRestore, podVolumeBackupType } from '@lateen/api-types';
import {
  aBackupStorageLocation,
  aDataUpload,
  aPersistentVolumeClaim,
  aPod,
  FakeClock,
  fakeCluster,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const startedAt = '2030-01-01T00:00:00Z';
const pod = { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'pod-uid' };

const backup = (name: string, volume: string, status: PodVolumeBackup['status'], claim?: string): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: {
    namespace: 'velero',
    name,
    ...(claim === undefined ? {} : { annotations: { 'velero.io/pvc-name': claim } }),
  },
  spec: {
    node: 'node-1',
    pod,
    volume,
    backupStorageLocation: 'default',
    repoIdentifier: '',
    uploaderSettings: { ParallelFilesUpload: '4' },
  },
  ...(status === undefined ? {} : { status }),
});

const restore = (name: string, volume: string, status: PodVolumeRestore['status']): PodVolumeRestore => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeRestore',
  metadata: { namespace: 'velero', name },
  spec: {
    pod,
    volume,
    backupStorageLocation: 'default',
    repoIdentifier: '',
    snapshotID: 'k1',
    sourceNamespace: 'shop',
  },
  ...(status === undefined ? {} : { status }),
});

const objects = [
  backup('nightly-1', 'scratch', {
    phase: 'InProgress',
    startTimestamp: startedAt,
    progress: { bytesDone: 1024, totalBytes: 4096 },
  }),
  backup('nightly-2', 'data', { phase: 'Completed', snapshotID: 'k2', incrementalBytes: 7 }, 'data-web-0'),
  restore('back-1', 'scratch', { phase: 'Prepared', node: 'node-2' }),
  aDataUpload({ name: 'nightly-1', spec: { sourceNamespace: 'shop', sourcePVC: 'data-web-0' } }),
];

function setUp() {
  const clock = new FakeClock(startedAt);
  const cluster = fakeCluster({ clock, objects: [...objects, aPod({ namespace: 'shop', name: 'web-0' })] });
  const run = (...words: string[]) =>
    runForTests({ clock, random: seededRandom(), kube: cluster }, ['volume', ...words]);
  return { clock, cluster, run };
}

const rows = (stdout: string) => stdout.trimEnd().split('\n').slice(1);

describe('volumes of pods in lateen volume', () => {
  it('are listed with the others, with pod and volume, node and progress', async () => {
    const { clock, run } = setUp();
    await clock.advance(4_000);
    const { stdout } = await run('list', '--sort-by', 'name');
    expect(rows(stdout)).toHaveLength(4);
    expect(stdout).toMatch(/PodVolumeBackup +nightly-1 +shop\/web-0:scratch +InProgress .*1 KiB of 4 KiB .* node-1/);
    expect(stdout).toMatch(/PodVolumeRestore +back-1 +shop\/web-0:scratch +Prepared +node-2/);
  });

  it.each([
    ['shop/web-0:scratch', ['back-1', 'nightly-1']],
    // The claim that the pod mounts: by snapshot, and through the pod.
    ['shop/data-web-0', ['nightly-1', 'nightly-2']],
    ['shop/web-0:data', ['nightly-2']],
    ['shop/other', []],
  ])('are found by --volume %s', async (volume, names) => {
    const { stdout } = await setUp().run('list', '--volume', volume, '-o', 'json');
    const { items } = JSON.parse(stdout) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(names);
  });

  it.each(['shop/web-0:', 'shop/:data', 'web-0:data', 'shop/web-0:a:b', 'shop/a/b:c'])('reject %s', async (volume) => {
    const { code, stderr } = await setUp().run('list', '--volume', volume);
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not name a volume of a pod')]);
  });

  it('are described with claim, snapshot, settings and the size of new data', async () => {
    const { stdout } = await setUp().run('describe', 'nightly-2');
    expect(stdout).toMatch(/Volume: +shop\/web-0:data\nClaim: +shop\/data-web-0\n/);
    expect(stdout).toMatch(/Node: +node-1\nSnapshot: +k2\nData mover config: +ParallelFilesUpload=4\n/);
    expect(stdout).toMatch(/New since the upload before: +7 B/);
  });

  it('are distinguished by kind when one name exists several times, and canceled', async () => {
    const { run, cluster } = setUp();
    const refused = await run('cancel', 'nightly-1', '--confirm');
    expect(refused.stderr).toContain('"nightly-1" is an upload and a pod volume backup');
    expect(refused.stderr).toContain('Write upload/nightly-1 or pvb/nightly-1.');
    const { code, stdout } = await run('cancel', 'pvb/nightly-1', 'podvolumerestore/back-1', '--confirm');
    expect([code, stdout]).toEqual([0, expect.stringContaining('podvolumebackup/nightly-1 ')]);
    const canceled = cluster.find(podVolumeBackupType, { namespace: 'velero', name: 'nightly-1' });
    expect(canceled?.spec.cancel).toBe(true);
  });
});

describe('lateen volume upload NAMESPACE/POD:VOLUME', () => {
  const webPod = aPod({ namespace: 'shop', name: 'web-0', uid: 'pod-uid', nodeName: 'node-1', phase: 'Running' });
  webPod.spec.volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
    { name: 'device', persistentVolumeClaim: { claimName: 'device' } },
    { name: 'etc', configMap: { name: 'web' } },
    { name: 'unused', emptyDir: {} },
  ];
  const mounts = ['data', 'device', 'etc'].map((name) => ({ name, mountPath: `/${name}` }));
  webPod.spec.containers = [{ name: 'web', image: 'web', volumeMounts: mounts }];
  const ended = aPod({ namespace: 'shop', name: 'job-1', nodeName: 'node-1', phase: 'Succeeded' });
  ended.spec.volumes = [{ name: 'data', emptyDir: {} }];
  const elsewhere = { ...webPod, metadata: { ...webPod.metadata, name: 'web-1' } };
  elsewhere.spec = { ...webPod.spec, nodeName: 'node-2' };
  const agent = (...args: string[]) => {
    const made = aPod({ namespace: 'velero', name: 'agent-1', nodeName: 'node-1', phase: 'Running' });
    made.metadata.labels = { role: 'node-agent' };
    made.spec.containers = [{ name: 'node-agent', image: 'i', args }];
    return made;
  };
  const claims = [
    aPersistentVolumeClaim({ namespace: 'shop', name: 'data-web-0', uid: 'claim-uid' }),
    aPersistentVolumeClaim({ namespace: 'shop', name: 'device', spec: { volumeMode: 'Block' } }),
  ];

  const upload = async (words: string[], node = agent()) => {
    const clock = new FakeClock(startedAt);
    const location = aBackupStorageLocation({ name: 'default', spec: { default: true } });
    const kube = fakeCluster({ clock, objects: [webPod, ended, elsewhere, location, node, ...claims] });
    const ran = await runForTests({ clock, random: seededRandom(), kube }, ['volume', 'upload', ...words]);
    return { ...ran, made: kube.all(podVolumeBackupType, 'velero') };
  };

  it("creates it for the node-agent on the pod's node", async () => {
    const words = ['shop/web-0:data', '--no-wait', '--data-mover-config', 'ParallelFilesUpload=2', '-o', 'name'];
    const { code, stderr, made } = await upload(words);
    expect([code, stderr, made.length]).toEqual([0, '', 1]);
    expect(made[0]?.metadata).toMatchObject({
      name: expect.stringMatching(/^data-web-0-/),
      labels: { 'velero.io/pvc-uid': 'claim-uid' },
      annotations: { 'velero.io/pvc-name': 'data-web-0' },
    });
    expect(made[0]?.spec).toEqual({
      node: 'node-1',
      pod: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'pod-uid' },
      volume: 'data',
      backupStorageLocation: 'default',
      repoIdentifier: '',
      uploaderType: 'kopia',
      uploaderSettings: { ParallelFilesUpload: '2' },
      tags: { pod: 'web-0', 'pod-uid': 'pod-uid', ns: 'shop', volume: 'data', 'pvc-uid': 'claim-uid' },
    });
  });

  it.each([
    [['shop/web-9:data'], 'Pod shop/web-9 does not exist'],
    [['shop/web-0:logs'], 'Pod shop/web-0 has no volume "logs". It has: data, device, etc, unused.'],
    [['shop/job-1:data'], 'volume "data" of Pod shop/job-1 cannot be read: the pod is Succeeded, not Running'],
    [['shop/web-0:device'], 'it is a block volume, which has no files'],
    [['shop/web-0:device'], 'A snapshot may do: lateen volume upload shop/device'],
    [['shop/web-0:etc'], 'configMap volumes are not read through the file system'],
    [['shop/web-0:unused'], 'no container of the pod mounts it'],
    [['shop/web-1:data'], 'no node-agent runs on node node-2, where the pod is'],
    [['shop/web-0:data', '--snapshot-class', 'x'], '--snapshot-class is for snapshots'],
    [['shop/web-0:data', '--storage-location', 'x'], 'BackupStorageLocation "x" does not exist'],
  ])('rejects %j with the reason, before anything is created', async (words, message) => {
    const { code, stderr, made } = await upload(words);
    expect([code === 0, stderr, made]).toEqual([false, expect.stringContaining(message), []]);
  });

  it('rejects it when pod volumes are disabled in the installation', async () => {
    const { stderr, made } = await upload(['shop/web-0:data'], agent('--use-pod-volumes=false'));
    expect([stderr, made]).toEqual([expect.stringContaining('pod volumes are switched off in this installation'), []]);
  });
});
