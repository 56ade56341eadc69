import { type Backup, type Volume, volumeType } from '@lateen/storage-types';
import { FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { aHealthyVolume, aStorageNode, storageObject } from '../example-storage.ts';
import { storageRunner } from '../run-storage.ts';

const namespace = 'longhorn-system';

function setUp() {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  const objects = [
    ...aHealthyVolume().filter(({ metadata }) => metadata.name !== 'node-1'),
    aStorageNode(1, { tags: ['ssd'] }),
  ];
  const cluster = fakeCluster({ clock, objects });
  const run = storageRunner({ clock, random: seededRandom(), kube: cluster });
  return { cluster, run, find: (name: string) => cluster.find<Volume>(volumeType, { namespace, name }) };
}

describe('lateen storage volume create', () => {
  it('uses the settings for values that are not given', async () => {
    const { run, find } = setUp();
    expect(await run('volume create new 10737418241 --replicas 2 --node-selector ssd')).toMatchObject({
      stderr: '',
      code: 0,
      stdout: 'volume new is created\n',
    });
    expect(find('new')).toMatchObject({
      metadata: { labels: { longhornvolume: 'new', 'backup-target': 'default' } },
      spec: {
        size: '10739515392',
        numberOfReplicas: 2,
        nodeSelector: ['ssd'],
        frontend: 'blockdev',
        accessMode: 'rwo',
        staleReplicaTimeout: 2880,
        snapshotMaxCount: 250,
        backupCompressionMethod: 'lz4',
        backupBlockSize: '2097152',
      },
    });
  });
  it('prints the object instead of creating it', async () => {
    const { run, find } = setUp();
    const { stdout } = await run('volume create new 1Gi -o yaml');
    expect(load(stdout)).toMatchObject({ kind: 'Volume', spec: { size: '1073741824' } });
    expect(find('new')).toBeUndefined();
  });
  it('waits until its replicas are scheduled', async () => {
    const { run, cluster, find } = setUp();
    const running = run('volume create new 1Gi --wait');
    await letWorkRun();
    const before = find('new') as Volume;
    const refused = [{ type: 'Scheduled', status: 'False', message: 'insufficient storage' }] as const;
    const put = (status: Volume['status']) => {
      const object: Volume = { ...before, status: status ?? {} };
      cluster.put(object);
    };
    put({ state: 'creating', conditions: [...refused] });
    await letWorkRun();
    put({ state: 'detached', conditions: [] });
    expect(await running).toMatchObject({
      stdout: 'volume new is created\nvolume new can be attached\n',
      stderr: 'volume new: new\nvolume new: a replica cannot be scheduled: insufficient storage\n',
    });
  });
  it('restores a backup by its name or URL, with its size', async () => {
    const { run, find, cluster } = setUp();
    const url = 's3://b@r/?backup=backup-1&volume=old';
    const backup = (name: string, status: object) => storageObject<Backup>('Backup', name, { spec: {}, status });
    cluster.put(backup('backup-1', { state: 'Completed', url, volumeName: 'old', volumeSize: '4194304' }));
    cluster.put(backup('backup-2', { state: 'InProgress' }));
    expect(await run('volume create new --from-backup backup-1')).toMatchObject({ stderr: '', code: 0 });
    expect(find('new')?.spec).toMatchObject({ fromBackup: url, size: '4194304', frontend: 'blockdev' });
    await run(`volume create follower --from-backup ${url} --standby`);
    expect(find('follower')?.spec).toMatchObject({ fromBackup: url, Standby: true, frontend: '' });
    await run('volume create jobs --from-backup backup-1 --restore-recurring-jobs enabled');
    expect(find('new')?.spec.restoreVolumeRecurringJob).toBe('ignored');
    expect(find('jobs')?.spec.restoreVolumeRecurringJob).toBe('enabled');
    for (const flags of ['1Gi', '--from-backup backup-1 --standby'])
      expect((await run(`volume create other ${flags} --restore-recurring-jobs enabled`)).code).toBe(2);
    expect((await run('volume create other --from-backup backup-1 --restore-recurring-jobs yes')).code).toBe(2);
    expect((await run('volume create other --from-backup backup-2')).stderr).toContain('is not complete: InProgress');
    expect((await run('volume create other --from-backup backup-3')).stderr).toContain('backup-3');
    expect((await run('volume create other --standby 1Gi')).code).toBe(2);
    expect((await run('volume create other 1Gi --from-backup backup-1')).code).toBe(2);
    expect((await run('volume create other')).code).toBe(2);
  });
  it.each([
    ['--from-volume vol', 'vol://vol'],
    ['--from-snapshot vol/before', 'snap://vol/before'],
  ])('clones with %s, also to a larger volume', async (flag, dataSource) => {
    const { run, find } = setUp();
    expect(await run(`volume create new 200Gi ${flag}`)).toMatchObject({ stderr: '', code: 0 });
    expect(find('new')?.spec).toMatchObject({ dataSource, cloneMode: 'full-copy', size: '214748364800' });
  });
  it.each([
    ['volume create new 1Mi --from-volume vol', 'is less than that of data source vol://vol'],
    ['volume create new 1Gi --from-volume none', 'cannot find the volume of data source "vol://none"'],
    ['volume create new 1Gi --from-volume vol --from-snapshot vol/s', 'exclude each other'],
    ['volume create new 1Gi --from-snapshot vol', '--from-snapshot "vol" names no snapshot'],
    ['volume create Big 1Gi', 'unable to create volume: invalid name Big'],
    ['volume create new much', 'the size "much" is not a number of bytes'],
    ['volume create new 1Gi --replicas 21', 'replica count value 21 must between 1 to 20'],
    ['volume create new 1Gi --disk-selector gold', 'specified disk tag gold does not exist'],
    ['volume create new 1Gi --access-mode rwx', 'access mode rwx is not supported by this volume manager'],
    ['volume create vol 1Gi', 'already exists'],
  ])('%s is rejected', async (line, words) => {
    const { run, cluster } = setUp();
    expect((await run(line)).stderr).toContain(words);
    expect(cluster.all(volumeType)).toHaveLength(1);
  });
});
