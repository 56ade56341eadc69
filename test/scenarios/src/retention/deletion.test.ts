import {
  backupRepositoryType,
  backupStorageLocationType,
  jobType,
  restoreType,
  volumeSnapshotType,
} from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import type { DeleteItemAction } from '@lateen/item-actions';
import { aVolumeSnapshot } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from '../buckets/buckets.ts';
import { aSnapshotLocation } from '../native-snapshots/shop-on-disks.ts';
import { deathsAt } from '../world/mortal-kube.ts';
import {
  aBackup,
  aRequest,
  aRestore,
  leftovers,
  type RetentionWorld,
  type RetentionWorldOptions,
  retentionWorld,
} from './retention-world.ts';
import { snapshot, storeEverything } from './store-everything.ts';

const minuteMs = 60_000;

async function fullWorld(options: RetentionWorldOptions = {}): Promise<RetentionWorld> {
  const world = retentionWorld(options);
  await storeEverything(world, aBackup('b', { labels: { 'velero.io/schedule-name': 'nightly' } }));
  world.cluster.put(aRestore('r-1'));
  world.buckets.of('default').memory.objects.set('restores/r-1/restore-r-1-logs.gz', Buffer.from('x'));
  return world;
}

const snapshotsOf = (world: RetentionWorld) =>
  Object.fromEntries([...world.repositories].map(([key, ids]) => [key, [...ids].join().slice(0, 1)]));

describe('a DeleteBackupRequest', () => {
  it('deletes everything of a backup: snapshots, files, Restores with their files, DataUploads, and the Backup', async () => {
    const seen: string[] = [];
    const action: DeleteItemAction = {
      name: 'test/contents',
      appliesTo: { includedResources: ['volumesnapshotcontents.snapshot.storage.k8s.io'] },
      execute: async ({ metadata }) => void seen.push(metadata.name ?? ''),
    };
    const world = await fullWorld({ deleteActions: [action] });
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(snapshotsOf(world)).toEqual({ 'app/kopia': 'f', 'shop/kopia': 'f' });
    expect(world.jobs).toHaveLength(2);
    expect(seen).toEqual(['content-1']);
    expect(world.told).toEqual(['attempt nightly', 'success nightly']);
    expect(world.cluster.all(backupRepositoryType).map(({ metadata }) => metadata.name)).toEqual([
      'app-default-kopia',
      'shop-default-kopia',
    ]);
    expect(world.events()).toEqual([]);
  });

  it('is InProgress meanwhile, and has the labels to find it', async () => {
    const world = await fullWorld();
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'create' && call.type.resource === 'jobs')
        throw new AppError('KUBE_FORBIDDEN', 'no', { retry: 'later' });
      return await next();
    });
    world.start();
    world.ask(aRequest());
    await world.run(1_000);
    expect(world.request()).toMatchObject({
      metadata: { labels: { 'velero.io/backup-name': 'b', 'velero.io/backup-uid': 'uid-of-b' } },
      status: { phase: 'InProgress' },
    });
    expect(world.backup()?.status?.phase).toBe('Deleting');
    expect(world.buckets.keys('default')).toContain('backups/b/b.tar.gz');
  });

  it.each([
    [
      'is refused while the backup is worked on',
      aBackup('b', { status: { phase: 'InProgress' } }),
      'backup is still in progress',
    ],
    [
      'is refused while somebody restores from it',
      aBackup(),
      'backup is in use by Restore busy: wait for its end, or delete it first',
    ],
  ])('%s', async (_, backup, error) => {
    const world = retentionWorld({ objects: [aRestore('busy', 'b', 'InProgress')] });
    await storeEverything(world, backup);
    const before = world.buckets.keys('default');
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(world.request()?.status).toEqual({ phase: 'Processed', errors: [error] });
    expect(world.backup()?.status?.phase).toBe(backup.status?.phase);
    expect(world.buckets.keys('default')).toEqual(before);
    expect(world.events()).toEqual([`DeletionFailed: ${error}`]);
    await world.run(24 * 60 * minuteMs);
    expect(world.request()).toBeUndefined();
  });

  it('of several for one backup is the only one that works', async () => {
    const world = await fullWorld();
    world.start();
    world.ask(...Array.from({ length: 5 }, (_, index) => aRequest('b', `r-${index}`)));
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(world.jobs).toHaveLength(2);
    expect(world.told.filter((each) => each.startsWith('success'))).toHaveLength(1);
  });

  it('keeps files that another backup has stored under the same name', async () => {
    const world = await fullWorld();
    await world.store.putBackup(aBackup('b', { status: { startTimestamp: '2029-12-24T00:00:00Z' } }));
    const before = world.buckets.keys('default').filter((key) => key.startsWith('backups/'));
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual(before);
    expect(world.jobs).toEqual([]);
    expect(snapshotsOf(world)).toEqual({ 'app/kopia': 'f', 'shop/kopia': 'f' });
    expect([...(world.repositories.get('app/kopia') ?? [])]).toContain(snapshot('a'));
  });

  it('leaves the bucket alone when the backup was never stored', async () => {
    const world = await fullWorld();
    world.cluster.put(
      aBackup('b', { status: { phase: 'Failed', failureReason: 'backup already exists in object storage' } }),
    );
    const before = world.buckets.keys('default').filter((key) => key.startsWith('backups/'));
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual(before);
  });

  it.each([
    [
      'is missing',
      async (world: RetentionWorld) => void world.buckets.of('default').memory.objects.delete('backups/b/b.tar.gz'),
    ],
    [
      'is broken',
      async (world: RetentionWorld) =>
        void world.buckets.of('default').memory.objects.set('backups/b/b.tar.gz', Buffer.from('torn')),
    ],
    [
      'and the volume info are broken',
      async (world: RetentionWorld) => {
        const { objects } = world.buckets.of('default').memory;
        for (const file of ['b.tar.gz', 'b-volumeinfo.json.gz', 'velero-backup.json'])
          objects.set(`backups/b/${file}`, Buffer.from('torn'));
      },
    ],
  ])('is completed when the archive %s', async (_, harm) => {
    const world = await fullWorld();
    await harm(world);
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect([...(world.repositories.get('app/kopia') ?? [])]).toEqual([snapshot('f')]);
  });

  it('deletes the VolumeSnapshots with its label when the archive is missing, and no others', async () => {
    const world = await fullWorld();
    world.buckets.of('default').memory.objects.delete('backups/b/b.tar.gz');
    const labels = { 'velero.io/backup-name': 'b' };
    world.cluster.put(
      aVolumeSnapshot({ namespace: 'app', name: 'own', labels }),
      aVolumeSnapshot({ namespace: 'app', name: 'later', labels: { ...labels, 'velero.io/backup-uid': 'another' } }),
      aVolumeSnapshot({ namespace: 'app', name: 'theirs' }),
    );
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(world.cluster.all(volumeSnapshotType).map(({ metadata }) => metadata.name)).toEqual(['later', 'theirs']);
  });

  it('finds the snapshots of an old backup in its archive, without separate files or DataUploads in the cluster', async () => {
    const world = await fullWorld();
    const { objects } = world.buckets.of('default').memory;
    objects.delete('backups/b/b-volumeinfo.json.gz');
    world.cluster.remove(
      { group: 'velero.io', version: 'v2alpha1', resource: 'datauploads', kind: 'DataUpload', namespaced: true },
      { namespace, name: 'b-data' },
    );
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect([...(world.repositories.get('app/kopia') ?? [])]).toEqual([snapshot('f')]);
  });

  describe('for a backup with native snapshots', () => {
    const entry = (id: string | undefined, location = 'disks'): NativeSnapshot => ({
      spec: {
        backupName: 'b',
        backupUID: 'of another cluster',
        location,
        persistentVolumeName: `pv-of-${id}`,
        providerVolumeID: 'v',
        volumeType: 'gp3',
      },
      status: id === undefined ? { phase: 'Failed' } : { phase: 'Completed', providerSnapshotID: id },
    });

    async function withSnapshots(...entries: NativeSnapshot[]): Promise<RetentionWorld> {
      const world = await fullWorld({ objects: [aSnapshotLocation()] });
      for (const id of ['snap-1', 'snap-2'])
        world.cloud.snapshots.set(id, { type: 'gp3', zone: 'a', content: '', tags: {} });
      await world.store.putVolumeSnapshots('b', entries);
      return world;
    }

    it('has the plugin of their location delete them, except those without an ID', async () => {
      const world = await withSnapshots(entry('snap-1'), entry('snap-2'), entry(undefined, 'gone'));
      world.start();
      world.ask(aRequest());
      await world.run(minuteMs);
      expect(leftovers(world)).toEqual([]);
      expect([world.cloud.snapshots.size, world.cloud.open]).toEqual([0, 0]);
    });

    it('reports those that could not be deleted, keeps the files, and the next request continues', async () => {
      const world = await withSnapshots(entry('snap-1'), entry('snap-2', 'gone'));
      const before = world.buckets.keys('default');
      world.start();
      world.ask(aRequest());
      await world.run(minuteMs);
      expect(world.request()?.status).toEqual({
        phase: 'Processed',
        errors: [
          'error deleting snapshot snap-2 of volume pv-of-snap-2: error getting volume snapshot location gone: it does not exist. Create a VolumeSnapshotLocation of that name, for the provider that has the snapshot.',
        ],
      });
      expect(world.buckets.keys('default')).toEqual(before);
      expect([...world.cloud.snapshots.keys()]).toEqual(['snap-2']);
      world.cluster.put(aSnapshotLocation('gone'));
      world.ask(aRequest('b', 'once-more'));
      await world.run(minuteMs);
      expect(leftovers(world)).toEqual([]);
      expect(world.cloud.snapshots.size).toBe(0);
    });

    it.each(deathsAt(16))('leaves none when its controller dies ($atWrite, $when)', async (death) => {
      const world = await withSnapshots(entry('snap-1'), entry('snap-2'));
      const first = world.start(death);
      world.ask(aRequest());
      await world.run(minuteMs);
      await first.stop();
      world.start();
      await world.run(minuteMs);
      expect(leftovers(world)).toEqual([]);
      expect([world.cloud.snapshots.size, world.cloud.open]).toEqual([0, 0]);
    });
  });

  it('stops at an action that fails, names it, and the next request continues', async () => {
    let fails = true;
    const action: DeleteItemAction = {
      name: 'test/contents',
      appliesTo: { includedResources: ['volumesnapshotcontents.snapshot.storage.k8s.io'] },
      execute: async () => {
        if (fails) throw new Error('the driver is gone');
      },
    };
    const world = await fullWorld({ deleteActions: [action] });
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(world.request()?.status?.errors).toEqual([
      expect.stringMatching(
        /^error invoking delete item actions: test\/contents failed for .*content-1.json: the driver is gone/,
      ),
    ]);
    expect(world.jobs).toEqual([]);
    fails = false;
    world.ask(aRequest('b', 'again'));
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(world.told).toEqual(['attempt nightly', 'failure nightly', 'attempt nightly', 'success nightly']);
  });

  it('reports the error of a repository that fails to forget, keeps the files, and the next request continues', async () => {
    let fails = true;
    const message = 'the repository does not open with the repository password';
    const world = await fullWorld({
      fault: ({ args }) =>
        fails && args[1]?.includes('shop') ? { code: 'REPOSITORY_PASSWORD_WRONG', message } : undefined,
    });
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(world.request()?.status).toEqual({
      phase: 'Processed',
      errors: [`error forgetting snapshots in repository shop-default-kopia: ${message}`],
    });
    expect(world.backup()?.status?.phase).toBe('Deleting');
    expect(world.buckets.keys('default')).toContain('backups/b/b.tar.gz');
    fails = false;
    await world.run(minuteMs);
    world.ask(aRequest('b', 'again'));
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(snapshotsOf(world)).toEqual({ 'app/kopia': 'f', 'shop/kopia': 'f' });
  });

  it('works when the bucket is full: it writes nothing, and deletes large files first when a repository needs room', async () => {
    const world = await fullWorld({
      fault: () =>
        world.buckets.keys('default').includes('backups/b/b.tar.gz')
          ? { code: 'OBJECT_STORE_FULL', message: 'the object store takes nothing more' }
          : undefined,
    });
    const fault = { fail: new AppError('OBJECT_STORE_UNAVAILABLE', 'quota exceeded', { retry: 'later' }) };
    for (const on of ['put', 'write'] as const) world.buckets.of('default').faulty.add({ on, fault });
    world.start();
    world.ask(aRequest());
    await world.run(5 * minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(snapshotsOf(world)).toEqual({ 'app/kopia': 'f', 'shop/kopia': 'f' });
  });

  it('creates no repository in order to forget: what is not in the bucket needs no work', async () => {
    const world = await fullWorld();
    world.buckets.of('default').memory.objects.delete('kopia/shop/kopia.repository');
    world.start();
    world.ask(aRequest());
    await world.run(minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(world.cluster.all(backupRepositoryType).map(({ metadata }) => metadata.name)).toEqual(['app-default-kopia']);
  });

  it('waits for a store that fails temporarily, and continues', async () => {
    const world = await fullWorld();
    const fault = { fail: new AppError('OBJECT_STORE_UNAVAILABLE', 'no', { retry: 'soon' }) };
    for (const on of ['get', 'read', 'list', 'delete', 'exists'] as const)
      world.buckets.of('default').faulty.add({ on, times: 2, fault });
    world.start();
    world.ask(aRequest());
    await world.run(10 * minuteMs);
    expect(leftovers(world)).toEqual([]);
  });

  it('ends with an error when a Restore stays', async () => {
    const world = await fullWorld();
    world.cluster.change(restoreType, { namespace, name: 'r-1' }, ({ metadata }) => {
      metadata.finalizers = ['somebody/else'];
    });
    world.start();
    world.ask(aRequest());
    await world.run(2 * minuteMs);
    expect(world.request()?.status?.errors).toEqual(['Restores of the backup are not gone after 1m0s: r-1']);
  });
});

describe('many backups at once', () => {
  it('are deleted with few Jobs for each repository, one at a time', async () => {
    const world = retentionWorld();
    const names = Array.from({ length: 40 }, (_, index) => `b-${index}`);
    for (const [index, name] of names.entries()) await storeEverything(world, aBackup(name), `${index % 8}`);
    let most = 0;
    world.cluster.onChange(() => {
      const open = world.cluster
        .look(jobType)
        .filter(({ status, metadata }) => status === undefined && metadata.name?.startsWith('app-'));
      most = Math.max(most, open.length);
    });
    world.start();
    world.ask(...names.map((name) => aRequest(name)));
    await world.run(5 * minuteMs);
    expect(leftovers(world)).toEqual([]);
    expect(snapshotsOf(world)).toEqual({ 'app/kopia': 'f', 'shop/kopia': 'f' });
    expect(world.jobs.length).toBeLessThan(30);
    expect(most).toBe(1);
  });
});

describe('a deleted Restore', () => {
  it('is deleted together with its files', async () => {
    const world = await fullWorld();
    world.start();
    await world.run(1_000);
    await world.cluster.delete(restoreType, { namespace, name: 'r-1' });
    await world.run(1_000);
    expect(world.cluster.find(restoreType, { namespace, name: 'r-1' })).toBeUndefined();
    expect(world.buckets.keys('default').filter((key) => key.startsWith('restores/'))).toEqual([]);
    expect(world.backup()?.status?.phase).toBe('Completed');
  });

  it('is deleted together with the snapshots of overwritten volumes, and no others', async () => {
    const world = await fullWorld();
    const uid = world.cluster.find(restoreType, { namespace, name: 'r-1' })?.metadata.uid ?? '';
    for (const [name, of] of [
      ['old', uid],
      ['others', 'another'],
    ])
      world.cluster.put(aVolumeSnapshot({ name: name ?? '', labels: { 'lateen.dev/old-data-of': of ?? '' } }));
    world.start();
    await world.cluster.delete(restoreType, { namespace, name: 'r-1' });
    await world.run(1_000);
    expect(world.cluster.find(restoreType, { namespace, name: 'r-1' })).toBeUndefined();
    const left = world.cluster.all(volumeSnapshotType).map(({ metadata }) => metadata.name);
    expect(left).toContain('others');
    expect(left).not.toContain('old');
  });

  it.each([
    [
      'its Backup is gone',
      (world: RetentionWorld) =>
        void world.cluster.remove(
          { group: 'velero.io', version: 'v1', resource: 'backups', kind: 'Backup', namespaced: true },
          { namespace, name: 'b' },
        ),
    ],
    [
      'its location is read-only',
      (world: RetentionWorld) =>
        void world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
          spec.accessMode = 'ReadOnly';
        }),
    ],
  ])('is deleted without its files when %s', async (_, change) => {
    const world = await fullWorld();
    change(world);
    world.start();
    await world.cluster.delete(restoreType, { namespace, name: 'r-1' });
    await world.run(1_000);
    expect(world.cluster.find(restoreType, { namespace, name: 'r-1' })).toBeUndefined();
    expect(world.buckets.keys('default')).toContain('restores/r-1/restore-r-1-logs.gz');
  });
});

describe('a controller that dies', () => {
  it('at any call to the API server or the bucket leaves nothing behind after the next one has run', async () => {
    const whole = await fullWorld();
    const one = whole.start();
    whole.ask(aRequest());
    await whole.run(2 * minuteMs);
    const calls = one.writes();
    expect(calls).toBeGreaterThan(30);
    for (let atWrite = 0; atWrite < calls; atWrite++) {
      for (const when of ['before', 'after'] as const) {
        const world = await fullWorld();
        const first = world.start({ atWrite, when });
        world.ask(aRequest());
        await world.run(5_000);
        await first.stop();
        world.start();
        await world.run(2 * minuteMs);
        const where = `dead ${when} call ${atWrite}`;
        expect(leftovers(world), where).toEqual([]);
        expect(snapshotsOf(world), where).toEqual({ 'app/kopia': 'f', 'shop/kopia': 'f' });
        expect(world.events(), where).toEqual([]);
      }
    }
  });
});
