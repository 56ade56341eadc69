import { backupStorageLocationType, backupType, podVolumeBackupType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { aStoredBackup, aStoredPodVolumeBackup, namespace, storeBackup } from '../buckets/buckets.ts';
import { aClusterBackup, aLocation, type SyncWorld, syncWorld } from './sync-world.ts';

const minuteMs = 60_000;
const calls = (world: SyncWorld, bucket = 'default') => world.buckets.of(bucket).faulty.calls.length;

async function syncedWorld(...args: Parameters<typeof syncWorld>): Promise<SyncWorld> {
  const world = syncWorld(...args);
  await storeBackup(world.buckets.of('default'), aStoredBackup('kept'));
  return world;
}

describe('a backup in the bucket', () => {
  it('becomes a Backup of the cluster, in this namespace and location, with its status', async () => {
    const world = await syncedWorld(aLocation());
    world.start();
    await world.run(1_000);
    const backup = world.backup('kept');
    expect(backup).toMatchObject({
      metadata: {
        namespace,
        labels: { team: 'a', 'velero.io/storage-location': 'default' },
        annotations: { note: 'n' },
      },
      spec: { storageLocation: 'default', includedNamespaces: ['shop'] },
      status: { phase: 'Completed', expiration: '2030-12-01T00:00:00Z' },
    });
    expect(backup?.metadata.uid).not.toBe('stored-kept');
    expect(backup?.metadata.ownerReferences).toBeUndefined();
    expect(world.location()?.status?.lastSyncedTime).toBe('2030-01-01T00:00:00Z');
    expect(world.events()).toEqual([]);
  });

  it('is synced with the objects of its pod volumes, which it owns and which have no finalizer of a node-agent', async () => {
    const world = syncWorld(aLocation());
    const podVolumes = [aStoredPodVolumeBackup('b-1'), aStoredPodVolumeBackup('b-2')];
    await storeBackup(world.buckets.of('default'), aStoredBackup('b'), { podVolumes });
    world.start();
    await world.run(1_000);
    const uid = world.backup('b')?.metadata.uid;
    expect(world.cluster.all(podVolumeBackupType)).toHaveLength(2);
    for (const { metadata, spec, status } of world.cluster.all(podVolumeBackupType)) {
      expect(metadata).toMatchObject({ namespace, labels: { 'velero.io/backup-uid': uid } });
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'Backup', name: 'b', uid }]);
      expect(metadata.finalizers).toBeUndefined();
      expect(spec.backupStorageLocation).toBe('default');
      expect(status?.snapshotID).toBe('c'.repeat(32));
    }
    expect(world.backup('b')?.metadata.annotations).toEqual({ note: 'n' });
  });

  it('is synced without PodVolumeBackups that have not ended, because a node of this cluster could work on them', async () => {
    const world = syncWorld(aLocation());
    const open = { ...aStoredPodVolumeBackup('b-2'), status: { phase: 'New' as const } };
    await storeBackup(world.buckets.of('default'), aStoredBackup('b'), {
      podVolumes: [aStoredPodVolumeBackup('b-1'), open],
    });
    world.start();
    await world.run(1_000);
    expect(world.cluster.all(podVolumeBackupType).map(({ metadata }) => metadata.name)).toEqual(['b-1']);
    expect(world.backup('b')?.metadata.annotations).toEqual({ note: 'n' });
  });

  it('keeps the owner reference to its Schedule only when that Schedule is in this cluster', async () => {
    const schedule = (name: string, uid: string) => ({ apiVersion: 'velero.io/v1', kind: 'Schedule', name, uid });
    const here = {
      apiVersion: 'velero.io/v1',
      kind: 'Schedule',
      metadata: { name: 'nightly', namespace, uid: 'here' },
      spec: { schedule: '@daily', template: {} },
    };
    const world = syncWorld(aLocation(), here);
    const bucket = world.buckets.of('default');
    await storeBackup(
      bucket,
      aStoredBackup('mine', { metadata: { name: 'mine', ownerReferences: [schedule('nightly', 'here')] } }),
    );
    await storeBackup(
      bucket,
      aStoredBackup('other', { metadata: { name: 'other', ownerReferences: [schedule('nightly', 'there')] } }),
    );
    await storeBackup(
      bucket,
      aStoredBackup('odd', {
        metadata: {
          name: 'odd',
          ownerReferences: [{ ...schedule('x', 'y'), kind: 'Deployment', apiVersion: 'apps/v1' }],
        },
      }),
    );
    world.start();
    await world.run(1_000);
    expect(world.names()).toEqual(['mine', 'odd', 'other']);
    expect(world.backup('mine')?.metadata.ownerReferences).toMatchObject([{ uid: 'here' }]);
    expect(world.backup('other')?.metadata.ownerReferences).toBeUndefined();
    expect(world.backup('odd')?.metadata.ownerReferences).toBeUndefined();
  });

  it.each([
    ['Completed', true],
    ['PartiallyFailed', true],
    ['Failed', true],
    ['InProgress', false],
    ['WaitingForPluginOperations', false],
    ['WaitingForPluginOperationsPartiallyFailed', false],
    ['Finalizing', false],
    ['FinalizingPartiallyFailed', false],
    ['Canceled', false],
    ['Deleting', false],
  ] as const)('in phase %s is synced: %s', async (phase, taken) => {
    const world = syncWorld(aLocation());
    await storeBackup(world.buckets.of('default'), aStoredBackup('b', { status: { phase } }));
    world.start();
    await world.run(5 * minuteMs);
    expect(world.names()).toEqual(taken ? ['b'] : []);
    expect(world.events()).toEqual([]);
  });

  it('is synced when it has ended, and as PartiallyFailed when it expired before that', async () => {
    const world = syncWorld(aLocation());
    const bucket = world.buckets.of('default');
    await storeBackup(bucket, aStoredBackup('slow', { status: { phase: 'Finalizing' } }));
    await storeBackup(
      bucket,
      aStoredBackup('old', { status: { phase: 'Finalizing', expiration: '2029-12-31T00:00:00Z' } }),
    );
    world.start();
    await world.run(minuteMs);
    expect(world.names()).toEqual(['old']);
    expect(world.backup('old')?.status?.phase).toBe('PartiallyFailed');
    await storeBackup(bucket, aStoredBackup('slow'));
    await world.run(5 * minuteMs);
    expect(world.names()).toEqual(['old', 'slow']);
  });

  it('that cannot be read is reported once in an Event, and rarely read again', async () => {
    const world = await syncedWorld(aLocation());
    const bucket = world.buckets.of('default');
    for (const name of ['torn', 'other', 'empty'])
      bucket.memory.objects.set(`backups/${name}/velero-backup.json`, Buffer.from('{"kind":'));
    bucket.memory.objects.set('backups/other/velero-backup.json', Buffer.from(JSON.stringify(aStoredBackup('kept'))));
    bucket.memory.objects.set('backups/not a name/x', Buffer.from(''));
    world.start();
    await world.run(1_000);
    expect(world.names()).toEqual(['kept']);
    expect(world.events()).toEqual([
      expect.stringMatching(/^BackupUnreadable: 3 backups of the location cannot be read: .*torn: .*/),
    ]);
    const before = bucket.faulty.calls.filter(({ key }) => key.includes('torn')).length;
    await world.run(9 * minuteMs);
    expect(bucket.faulty.calls.filter(({ key }) => key.includes('torn'))).toHaveLength(before);
    await storeBackup(bucket, aStoredBackup('torn'));
    await world.run(2 * minuteMs);
    expect(world.names()).toEqual(['kept', 'torn']);
    expect(world.events()).toHaveLength(1);
  });

  it('is not synced when the cluster has a Backup of that name in another location', async () => {
    const world = await syncedWorld(aLocation(), aClusterBackup('kept', 'Completed', { location: 'other' }));
    world.start();
    await world.run(2 * minuteMs);
    expect(world.backup('kept')?.spec.storageLocation).toBe('other');
  });
});

describe('a location', () => {
  it('with hundreds of backups is listed each time, and only new backups are read', async () => {
    const world = syncWorld(aLocation());
    const bucket = world.buckets.of('default');
    const names = Array.from({ length: 600 }, (_, index) => `b-${String(index).padStart(4, '0')}`);
    for (const name of names) await storeBackup(bucket, aStoredBackup(name));
    world.start();
    await world.run(1_000);
    expect(world.names()).toHaveLength(600);
    const before = calls(world);
    await storeBackup(bucket, aStoredBackup('new'));
    await world.run(minuteMs);
    expect(world.names()).toHaveLength(601);
    expect(bucket.faulty.calls.slice(before).map(({ operation }) => operation)).toEqual([
      'listCommonPrefixes',
      expect.any(String),
      expect.any(String),
    ]);
  });

  it.each([
    ['as often as it says', { backupSyncPeriod: '5m0s' }, minuteMs, 12],
    ['as often as the server says', {}, 10 * minuteMs, 6],
    ['each minute when it says what cannot be', { backupSyncPeriod: '-1m' }, 10 * minuteMs, 60],
    ['never when it says zero', { backupSyncPeriod: '0s' }, minuteMs, 0],
    ['never when the server says zero', {}, 0, 0],
  ])('is synced %s', async (_, spec, periodMs, times) => {
    const world = syncWorld(aLocation('default', spec));
    world.start({ periodMs });
    await world.run(60 * minuteMs - 1_000);
    expect(
      world.buckets.of('default').faulty.calls.filter(({ operation }) => operation === 'listCommonPrefixes'),
    ).toHaveLength(times);
  });

  it('that is unavailable is skipped until it is available', async () => {
    const world = await syncedWorld(aLocation());
    world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, (location) => {
      location.status = { phase: 'Unavailable' };
    });
    world.start();
    await world.run(5 * minuteMs);
    expect(calls(world)).toBe(0);
    world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, (location) => {
      location.status = { phase: 'Available' };
    });
    await world.run(1_000);
    expect(world.names()).toEqual(['kept']);
  });

  it('that is the default comes first: of two backups of one name its own is used', async () => {
    const world = await syncedWorld(aLocation('another', { default: false }), aLocation());
    await storeBackup(world.buckets.of('another'), aStoredBackup('kept'));
    world.buckets.of('default').faulty.add({
      on: 'listCommonPrefixes',
      times: 1,
      fault: { fail: new AppError('OBJECT_STORE_UNAVAILABLE', 'slow', { retry: 'soon' }) },
    });
    world.start();
    await world.run(5_000);
    expect(world.backup('kept')?.spec.storageLocation).toBe('default');
  });

  it('that hangs delays no other', async () => {
    const world = syncWorld(aLocation('hangs', { default: false }), aLocation());
    world.buckets.of('hangs').faulty.add({ fault: { hang: true } });
    await storeBackup(world.buckets.of('default'), aStoredBackup('kept'));
    world.start();
    await world.run(2 * minuteMs);
    expect(world.names()).toEqual(['kept']);
    expect(world.location('hangs')?.status?.lastSyncedTime).toBeUndefined();
    expect(world.events()).toEqual([expect.stringContaining('could not be listed within 1m0s')]);
  });
});

describe('a Backup whose files are gone from the bucket', () => {
  it('is removed with its pod volumes; others stay', async () => {
    const phases = ['New', 'InProgress', 'Failed', 'FailedValidation', 'Deleting', 'Finalizing', 'Canceled'] as const;
    const world = await syncedWorld(
      aLocation(),
      aClusterBackup('kept'),
      aClusterBackup('gone'),
      aClusterBackup('gone-too', 'PartiallyFailed'),
      aClusterBackup('elsewhere', 'Completed', { location: 'other' }),
      ...phases.map((phase) => aClusterBackup(phase.toLowerCase(), phase)),
    );
    world.start();
    await world.run(1_000);
    expect(world.names()).toEqual(['elsewhere', 'kept', ...phases.map((phase) => phase.toLowerCase())].sort());
  });

  it('stays when the listing failed, partly or completely', async () => {
    const fault = { fail: new AppError('OBJECT_STORE_UNAVAILABLE', 'the connection was cut', { retry: 'soon' }) };
    const world = await syncedWorld(aLocation(), aClusterBackup('kept'), aClusterBackup('gone'));
    world.buckets.of('default').faulty.add({ on: 'listCommonPrefixes', fault });
    world.start();
    await world.run(30 * minuteMs);
    expect(world.names()).toEqual(['gone', 'kept']);
    expect(world.location()?.status?.lastSyncedTime).toBeUndefined();
    expect(world.events()).toEqual([expect.stringMatching(/^SyncFailed: .*the connection was cut/)]);
    world.buckets.of('default').faulty.heal();
    await world.run(10 * minuteMs);
    expect(world.names()).toEqual(['kept']);
  });

  it('stays when the listing omits it but a direct read finds it', async () => {
    const world = await syncedWorld(aLocation(), aClusterBackup('kept'), aClusterBackup('hidden'));
    const bucket = world.buckets.of('default');
    await storeBackup(bucket, aStoredBackup('hidden'));
    const list = bucket.faulty.listCommonPrefixes;
    bucket.faulty.listCommonPrefixes = async (...args) => (await list(...args)).filter((name) => name !== 'hidden');
    world.start();
    await world.run(3 * minuteMs);
    expect(world.names()).toEqual(['hidden', 'kept']);
  });

  it('stays when the location points to another bucket, between two syncs or before the first', async () => {
    const world = await syncedWorld(aLocation(), aClusterBackup('kept'), aClusterBackup('mine'));
    await storeBackup(world.buckets.of('default'), aStoredBackup('mine'));
    await storeBackup(world.buckets.of('new'), aStoredBackup('theirs'));
    await storeBackup(world.buckets.of('new'), aStoredBackup('kept'));
    world.start();
    await world.run(2 * minuteMs);
    world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
      spec.objectStorage = { bucket: 'new' };
    });
    await world.run(10 * minuteMs);
    expect(world.names()).toEqual(['kept', 'mine', 'theirs']);
    expect(world.events()).toEqual([
      expect.stringMatching(/^BackupsNotInLocation: 1 backup of the cluster is not in the location.*: mine$/),
    ]);
    // Backups that were found in the new bucket can be removed.
    for (const key of [...world.buckets.of('new').memory.objects.keys()].filter((each) => each.includes('theirs')))
      world.buckets.of('new').memory.objects.delete(key);
    await world.run(2 * minuteMs);
    expect(world.names()).toEqual(['kept', 'mine']);
  });

  it('stays when the location was deleted and created again for another bucket', async () => {
    const again = aLocation('default', { objectStorage: { bucket: 'new' } });
    const world = syncWorld(
      { ...again, metadata: { ...again.metadata, uid: 'again', creationTimestamp: '2030-01-01T00:00:00Z' } },
      aClusterBackup('kept'),
      aClusterBackup('mine'),
    );
    await storeBackup(world.buckets.of('new'), aStoredBackup('kept'));
    world.start();
    await world.run(10 * minuteMs);
    expect(world.names()).toEqual(['kept', 'mine']);
  });

  it('stays when the bucket is empty, such as a directory that is not mounted', async () => {
    const world = syncWorld(aLocation(), aClusterBackup('one'), aClusterBackup('two'));
    world.start();
    await world.run(10 * minuteMs);
    expect(world.names()).toEqual(['one', 'two']);
    expect(world.events()).toHaveLength(1);
  });

  it('is removed when it was the last one, if this process has seen it in the bucket', async () => {
    const world = await syncedWorld(aLocation());
    world.start();
    await world.run(2 * minuteMs);
    expect(world.names()).toEqual(['kept']);
    world.buckets.of('default').memory.objects.clear();
    await world.run(minuteMs);
    expect(world.names()).toEqual([]);
  });

  it('stays when the location changes between the listing and the deletion', async () => {
    const world = await syncedWorld(aLocation(), aClusterBackup('kept'), aClusterBackup('gone'));
    const bucket = world.buckets.of('default');
    const { exists } = bucket.faulty;
    bucket.faulty.exists = async (...args) => {
      world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, ({ spec }) => {
        spec.objectStorage = { bucket: 'new' };
      });
      return await exists(...args);
    };
    world.start();
    await world.run(5 * minuteMs);
    expect(world.names()).toEqual(['gone', 'kept']);
  });

  it('stays when it was stored after the listing began', async () => {
    const world = await syncedWorld(aLocation(), aClusterBackup('kept'), aClusterBackup('late', 'Finalizing'));
    const bucket = world.buckets.of('default');
    const list = bucket.faulty.listCommonPrefixes;
    bucket.faulty.listCommonPrefixes = async (...args) => {
      const listed = await list(...args);
      world.cluster.change(backupType, { namespace, name: 'late' }, (backup) => {
        backup.status = { phase: 'Completed' };
      });
      return listed;
    };
    bucket.faulty.exists = async () => false;
    world.start();
    await world.run(1_000);
    expect(world.names()).toEqual(['kept', 'late']);
  });
});

describe('processes that are replaced', () => {
  it('end with the same Backups, whichever call one of them dies at', async () => {
    for (let atWrite = 0; atWrite < 18; atWrite++) {
      for (const when of ['before', 'after'] as const) {
        const world = syncWorld(aLocation(), aClusterBackup('gone'), aClusterBackup('kept'));
        const bucket = world.buckets.of('default');
        await storeBackup(bucket, aStoredBackup('kept'));
        const podVolumes = [aStoredPodVolumeBackup('b-1'), aStoredPodVolumeBackup('b-2')];
        await storeBackup(bucket, aStoredBackup('b'), { podVolumes });
        const first = world.start({ death: { atWrite, when } });
        await world.run(1_000);
        await first.stop();
        world.start();
        await world.run(3 * minuteMs);
        const where = `dead ${when} write ${atWrite}`;
        expect(world.names(), where).toEqual(['b', 'kept']);
        expect(world.cluster.all(podVolumeBackupType), where).toHaveLength(2);
        expect(world.backup('b')?.metadata.annotations, where).toEqual({ note: 'n' });
      }
    }
  });
});
