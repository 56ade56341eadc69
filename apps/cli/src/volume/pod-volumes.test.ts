import { type PodVolumeBackup, type PodVolumeRestore, podVolumeBackupType } from '@lateen/api-types';
import { aDataUpload, aPod, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
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
  it('stand in the list beside the others, with their pod and volume, node and progress', async () => {
    const { clock, run } = setUp();
    await clock.advance(4_000);
    const { stdout } = await run('list', '--sort-by', 'name');
    expect(rows(stdout)).toHaveLength(4);
    expect(stdout).toMatch(
      /PodVolumeBackup +nightly-1 +shop\/web-0:scratch +InProgress .*1.00 KiB of 4.00 KiB .* node-1/,
    );
    expect(stdout).toMatch(/PodVolumeRestore +back-1 +shop\/web-0:scratch +Prepared +node-2/);
  });

  it.each([
    ['shop/web-0:scratch', ['back-1', 'nightly-1']],
    // The claim that the pod mounts, by snapshot and through the pod.
    ['shop/data-web-0', ['nightly-1', 'nightly-2']],
    ['shop/web-0:data', ['nightly-2']],
    ['shop/other', []],
  ])('are found by --volume %s', async (volume, names) => {
    const { stdout } = await setUp().run('list', '--volume', volume, '-o', 'json');
    const { items } = JSON.parse(stdout) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(names);
  });

  it.each(['shop/web-0:', 'shop/:data', 'web-0:data', 'shop/web-0:a:b', 'shop/a/b:c'])('refuse %s', async (volume) => {
    const { code, stderr } = await setUp().run('list', '--volume', volume);
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not name a volume of a pod')]);
  });

  it('are described with claim, snapshot, settings and what was new', async () => {
    const { stdout } = await setUp().run('describe', 'nightly-2');
    expect(stdout).toMatch(/Volume: +shop\/web-0:data\nClaim: +shop\/data-web-0\n/);
    expect(stdout).toMatch(/Node: +node-1\nSnapshot: +k2\nData mover config: +ParallelFilesUpload=4\n/);
    expect(stdout).toMatch(/New since the upload before: +7 B/);
  });

  it('are told apart by kind where one name stands for several, and canceled', async () => {
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
