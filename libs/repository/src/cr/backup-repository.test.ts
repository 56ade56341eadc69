import { type BackupRepository, backupRepositoryType } from '@lateen/api-types';
import { silentLogger } from '@lateen/kernel';
import { aBackupRepository, FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { findOrCreateBackupRepository } from './find-backup-repository.ts';
import { readyBackupRepository } from './wait-repository-ready.ts';

const namespace = 'velero';
const key = { namespace, volumeNamespace: 'app', location: 'default' };
const { signal } = new AbortController();
const name = 'app-default-kopia';

describe('findOrCreateBackupRepository', () => {
  it('creates one for the controller to complete, named and labelled as Velero does', async () => {
    const cluster = fakeCluster();
    expect(await findOrCreateBackupRepository(cluster, key, { signal })).toMatchObject({
      metadata: {
        name,
        namespace,
        labels: {
          'velero.io/volume-namespace': 'app',
          'velero.io/storage-location': 'default',
          'velero.io/repository-type': 'kopia',
        },
      },
      spec: {
        volumeNamespace: 'app',
        backupStorageLocation: 'default',
        repositoryType: 'kopia',
        maintenanceFrequency: '0s',
      },
    });
    await findOrCreateBackupRepository(cluster, key, { signal });
    expect(cluster.all(backupRepositoryType)).toHaveLength(1);
  });

  it('keeps the repositories of two engines apart', async () => {
    const cluster = fakeCluster({ objects: [aBackupRepository({ name })] });
    const restic = { ...key, type: 'restic' as const };
    expect(await findOrCreateBackupRepository(cluster, restic, { signal })).toMatchObject({
      metadata: { name: 'app-default-restic', labels: { 'velero.io/repository-type': 'restic' } },
      spec: { volumeNamespace: 'app', backupStorageLocation: 'default', repositoryType: 'restic' },
    });
    await findOrCreateBackupRepository(cluster, restic, { signal });
    expect((await findOrCreateBackupRepository(cluster, key, { signal })).metadata.name).toBe(name);
    expect(cluster.all(backupRepositoryType)).toHaveLength(2);
  });

  it('finds one with any name by its labels', async () => {
    const cluster = fakeCluster({ objects: [aBackupRepository({ name: 'app-default-kopia-x7k2p' })] });
    expect((await findOrCreateBackupRepository(cluster, key, { signal })).metadata.name).toBe(
      'app-default-kopia-x7k2p',
    );
  });

  it('uses the one that another process created at the same moment', async () => {
    const cluster = fakeCluster();
    cluster.intercept(async (call, next) => {
      if (call.verb === 'create') cluster.put(aBackupRepository({ uid: 'theirs' }));
      return next();
    });
    expect((await findOrCreateBackupRepository(cluster, key, { signal })).metadata.uid).toBe('theirs');
  });

  it('fails when two match', async () => {
    const cluster = fakeCluster({ objects: [aBackupRepository({ name: 'a' }), aBackupRepository({ name: 'b' })] });
    await expect(findOrCreateBackupRepository(cluster, key, { signal })).rejects.toMatchObject({
      code: 'REPOSITORY_AMBIGUOUS',
      message: expect.stringMatching(/: a, b$/),
    });
  });
});

describe('readyBackupRepository', () => {
  function wait(objects: BackupRepository[] = [], timeoutMs = 60_000) {
    const clock = new FakeClock();
    const cluster = fakeCluster({ clock, objects });
    const abort = new AbortController();
    const options = { clock, random: seededRandom(1), log: silentLogger, timeoutMs, signal: abort.signal };
    const ready = readyBackupRepository(cluster, key, options);
    ready.catch(() => {});
    return { clock, cluster, abort, ready };
  }
  const setStatus = (cluster: ReturnType<typeof fakeCluster>, status: BackupRepository['status'] & object) =>
    cluster.change(backupRepositoryType, { namespace, name }, (object) => {
      object.status = status;
    });

  it('returns a Ready one without opening a watch', async () => {
    const { cluster, ready } = wait([aBackupRepository()]);
    expect((await ready).metadata.name).toBe(name);
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['list']);
  });

  it('creates it and waits until its controller sets Ready', async () => {
    const { cluster, ready } = wait();
    await cluster.settle();
    setStatus(cluster, { phase: 'Ready' });
    expect((await ready).status?.phase).toBe('Ready');
  });

  it.each([
    ['from the start', [aBackupRepository({ phase: 'NotReady', status: { message: 'bad keys.' } })]],
    ['later', [aBackupRepository({ phase: 'New' })]],
  ])('fails at once when it is NotReady %s, with the controller’s reason', async (_, objects) => {
    const { cluster, ready } = wait(objects);
    await letWorkRun();
    setStatus(cluster, { phase: 'NotReady', message: 'bad keys.' });
    await expect(ready).rejects.toMatchObject({
      code: 'REPOSITORY_NOT_READY',
      message: 'backup repository is not ready: bad keys',
    });
  });

  it('fails after the time limit and says where to look for the cause', async () => {
    const { clock, ready } = wait();
    await clock.advance(60_000);
    await expect(ready).rejects.toMatchObject({
      message: 'backup repository is not ready: still "New" after 1m0s',
      nextStep: expect.stringContaining('lateen-controller'),
    });
  });

  it('fails after the time limit with the controller’s last message', async () => {
    const { clock, cluster, ready } = wait([aBackupRepository({ phase: 'New' })]);
    await letWorkRun();
    setStatus(cluster, { phase: 'New', message: 'it could not be opened, and is tried again: no answer. Look there.' });
    await clock.advance(60_000);
    await expect(ready).rejects.toMatchObject({
      message:
        'backup repository is not ready: still "New" after 1m0s: it could not be opened, and is tried again: no answer. Look there',
      nextStep: 'See BackupRepository app-default-kopia.',
    });
  });

  it('ends with the reason of an abort', async () => {
    const { cluster, abort, ready } = wait();
    await cluster.settle();
    abort.abort(new Error('enough'));
    await expect(ready).rejects.toThrow('enough');
    expect(cluster.openWatches).toBe(0);
  });
});
