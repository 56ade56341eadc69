import {
  backupStorageLocationType,
  backupType,
  deleteBackupRequestType,
  jobType,
  type Schedule,
  scheduleType,
} from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { namespace } from '../buckets/buckets.ts';
import { aBackup, aRestore, leftovers, type RetentionWorld, retentionWorld } from './retention-world.ts';
import { storeEverything } from './store-everything.ts';

const hourMs = 3_600_000;

const expiring = (name: string, expiration: string, more: Parameters<typeof aBackup>[1] = {}) =>
  aBackup(name, { ...more, status: { expiration, ...more.status } });

const names = (world: RetentionWorld) => world.cluster.all(backupType).map(({ metadata }) => metadata.name);

const aSchedule = (keep?: string): Schedule => ({
  apiVersion: 'velero.io/v1',
  kind: 'Schedule',
  metadata: {
    name: 'nightly',
    namespace,
    ...(keep === undefined ? {} : { annotations: { 'lateen.dev/keep-at-least': keep } }),
  },
  spec: { schedule: '@daily', template: {} },
});

/** Five nights of a schedule, all expired: 1 to 5 December, the fourth PartiallyFailed. */
function nights(keep?: string) {
  return [1, 2, 3, 4, 5].map((day) =>
    expiring(`n-${day}`, '2029-12-31T00:00:00Z', {
      labels: { 'velero.io/schedule-name': 'nightly' },
      ...(keep === undefined ? {} : { keep }),
      status: { phase: day === 4 ? 'PartiallyFailed' : 'Completed', startTimestamp: `2029-12-0${day}T00:00:00Z` },
    }),
  );
}

describe('an expired Backup', () => {
  it('is deleted on time, with everything that was stored', async () => {
    const world = retentionWorld();
    await storeEverything(world, expiring('b', '2030-01-01T10:00:00Z'));
    world.start();
    await world.run(10 * hourMs);
    expect(names(world)).toEqual(['b']);
    await world.run(60_000);
    expect(leftovers(world)).toEqual([]);
  });

  it('gets one DeleteBackupRequest with the name and labels that Velero uses', async () => {
    const world = retentionWorld();
    await storeEverything(world, expiring('b', '2029-12-31T00:00:00Z'));
    world.cluster.failTimes(1_000, 'create', jobType, 'KUBE_FORBIDDEN');
    world.start();
    await world.run(3 * hourMs);
    expect(world.cluster.all(deleteBackupRequestType)).toHaveLength(1);
    expect(world.cluster.all(deleteBackupRequestType)[0]).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^b-[a-z0-9]{5}$/),
        labels: { 'velero.io/backup-name': 'b', 'velero.io/backup-uid': 'uid-of-b' },
      },
      spec: { backupName: 'b' },
    });
  });

  it('is kept while it is being restored, and deleted afterwards', async () => {
    const world = retentionWorld({ objects: [aRestore('busy', 'b', 'InProgress')] });
    await storeEverything(world, expiring('b', '2029-12-31T00:00:00Z'));
    world.start();
    await world.run(5 * hourMs);
    expect(names(world)).toEqual(['b']);
    expect(world.cluster.all(deleteBackupRequestType)).toEqual([]);
    world.cluster.put(aRestore('busy'));
    await world.run(60_000);
    expect(leftovers(world)).toEqual([]);
  });

  it('is kept while it is InProgress', async () => {
    const world = retentionWorld();
    await storeEverything(world, expiring('b', '2029-12-31T00:00:00Z', { status: { phase: 'Finalizing' } }));
    world.start();
    await world.run(5 * hourMs);
    expect(names(world)).toEqual(['b']);
    world.cluster.change(backupType, { namespace, name: 'b' }, (backup) => {
      backup.status = { ...backup.status, phase: 'Completed' };
    });
    await world.run(60_000);
    expect(leftovers(world)).toEqual([]);
  });

  it('gets a label while its location is unavailable, and is deleted soon after that is available', async () => {
    const world = retentionWorld();
    await storeEverything(world, expiring('b', '2029-12-31T00:00:00Z'));
    const setPhase = (phase: 'Available' | 'Unavailable') =>
      world.cluster.change(backupStorageLocationType, { namespace, name: 'default' }, (location) => {
        location.status = { phase };
      });
    setPhase('Unavailable');
    world.start();
    await world.run(2 * hourMs);
    expect(world.backup()?.metadata.labels?.['velero.io/gc-failure']).toBe('BSLUnavailable');
    expect(world.cluster.all(deleteBackupRequestType)).toEqual([]);
    setPhase('Available');
    await world.run(60_000);
    expect(leftovers(world)).toEqual([]);
  });

  it('is tried again an hour after its deletion failed', async () => {
    let fails = true;
    const world = retentionWorld({ fault: () => (fails ? { code: 'ENGINE_FAILED', message: 'it broke' } : undefined) });
    await storeEverything(world, expiring('b', '2029-12-31T00:00:00Z'));
    world.start();
    await world.run(hourMs / 2);
    expect(world.cluster.all(deleteBackupRequestType)[0]?.status).toMatchObject({ phase: 'Processed' });
    expect(world.backup()?.status?.phase).toBe('Deleting');
    fails = false;
    await world.run(hourMs);
    expect(leftovers(world)).toEqual([]);
  });
});

describe('the last good backups of a schedule', () => {
  it.each<[string, Schedule | undefined, string | undefined, string[]]>([
    ['are deleted like all others by default', aSchedule(), undefined, []],
    ['stay whatever their TTL', aSchedule('2'), undefined, ['n-3', 'n-5']],
    ['stay when the schedule was deleted', undefined, '2', ['n-3', 'n-5']],
    ['are deleted when the schedule no longer has the annotation', aSchedule(), '2', []],
    ['all stay when their number cannot be read', aSchedule('some'), undefined, ['n-1', 'n-2', 'n-3', 'n-5']],
  ])('%s', async (_, schedule, keep, kept) => {
    const world = retentionWorld({ objects: schedule === undefined ? [] : [schedule] });
    for (const [index, backup] of nights(keep).entries()) await storeEverything(world, backup, `${index}`);
    world.start();
    await world.run(3 * hourMs);
    expect(names(world)).toEqual(kept);
    expect(world.events().filter((each) => each.startsWith('KeepAtLeastInvalid'))).toHaveLength(
      schedule?.metadata.annotations?.['lateen.dev/keep-at-least'] === 'some' ? 1 : 0,
    );
  });

  it('are deleted one by one as newer ones complete', async () => {
    const world = retentionWorld({ objects: [aSchedule('1')] });
    for (const [index, backup] of nights().entries()) await storeEverything(world, backup, `${index}`);
    world.start();
    await world.run(hourMs / 2);
    expect(names(world)).toEqual(['n-5']);
    const sixth = expiring('n-6', '2030-01-01T12:00:00Z', {
      labels: { 'velero.io/schedule-name': 'nightly' },
      status: { startTimestamp: '2030-01-01T00:00:00Z' },
    });
    await storeEverything(world, sixth, '7');
    await world.run(2 * hourMs);
    expect(names(world)).toEqual(['n-6']);
    await world.run(15 * hourMs);
    expect(names(world)).toEqual(['n-6']);
    world.cluster.remove(scheduleType, { namespace, name: 'nightly' });
    await world.run(2 * hourMs);
    expect(names(world)).toEqual([]);
  });
});

describe('hundreds of backups that expire in one night', () => {
  it('are all deleted, with few Jobs', async () => {
    const world = retentionWorld();
    for (let index = 0; index < 60; index++)
      await storeEverything(world, expiring(`b-${index}`, '2030-01-01T01:00:00Z'), `${index % 8}`);
    world.start();
    await world.run(hourMs + 300_000);
    expect(leftovers(world)).toEqual([]);
    expect(world.jobs.length).toBeLessThan(30);
  });
});
