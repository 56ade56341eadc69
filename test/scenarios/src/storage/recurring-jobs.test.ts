import { eventType, type PersistentVolumeClaim } from '@lateen/api-types';
import { apiTime } from '@lateen/kube';
import {
  type Backup,
  backupLabels,
  backupType,
  longhornGroup,
  longhornVersion,
  type RecurringJob,
  type RecurringJobSpec,
  recurringJobLabel,
  recurringJobType,
  type Snapshot,
  snapshotType,
  storageAnnotations,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';
import { FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { jobRooms, runVolumeControllers } from '@lateen/volume-controllers';
import { describe, expect, it, onTestFinished } from 'vitest';

const namespace = 'longhorn-system';
const apiVersion = `${longhornGroup}/${longhornVersion}`;
const minuteMs = 60_000;

const aJob = (spec: RecurringJobSpec): RecurringJob => ({
  apiVersion,
  kind: 'RecurringJob',
  metadata: { namespace, name: 'nightly' },
  spec: { name: 'nightly', cron: '*/10 * * * *', retain: 2, concurrency: 1, groups: [], ...spec },
});

const aVolume = (name: string, labels: Record<string, string> = {}): Volume => ({
  apiVersion,
  kind: 'Volume',
  metadata: { namespace, name, labels, uid: `uid-of-${name}` },
  spec: { size: '1073741824', numberOfReplicas: 1, backupTargetName: 'away' },
  status: { state: 'attached', robustness: 'healthy' },
});

/** One manager with its jobs; the test simulates the taking of snapshots and backups. */
function jobWorld(objects: readonly (RecurringJob | Volume | PersistentVolumeClaim)[]) {
  const clock = new FakeClock('2030-01-01T00:01:00Z');
  const cluster = fakeCluster({ clock, objects });
  const base = { kube: cluster, namespace, clock, random: seededRandom(5), log: recordingLog() };
  const connect = () => Promise.reject(new Error('there is no host')) as never;
  let stop = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const start = () => {
    stop = new AbortController();
    ended = runVolumeControllers({ ...base, node: 'n1', connect, rooms: jobRooms }, stop.signal);
  };
  const end = async () => {
    stop.abort();
    await ended;
  };
  start();
  onTestFinished(end);
  const takeSnapshots = () => {
    for (const { metadata, status } of cluster.all<Snapshot>(snapshotType))
      if (status?.creationTime === undefined)
        cluster.change(snapshotType, { namespace, name: metadata.name ?? '' }, (snapshot: Snapshot) => {
          snapshot.status = { readyToUse: true, creationTime: apiTime(clock.now()), userCreated: true };
        });
  };
  const finishBackups = () => {
    for (const { metadata, status } of cluster.all<Backup>(backupType))
      if (status?.state !== 'Completed')
        cluster.change(backupType, { namespace, name: metadata.name ?? '' }, (backup: Backup) => {
          const volumeName = backup.metadata.labels?.['backup-volume'] ?? '';
          backup.status = { state: 'Completed', volumeName, snapshotCreatedAt: apiTime(clock.now()) };
        });
  };
  /** Passes minutes, and completes everything that is requested in each. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      for (let turn = 0; turn < 4; turn++) {
        await clock.advance(minuteMs / 4);
        takeSnapshots();
        finishBackups();
      }
    }
  };
  const snapshotsOf = (volume: string) =>
    cluster.all<Snapshot>(snapshotType).filter(({ spec }) => spec.volume === volume);
  return { clock, cluster, pass, start, end, snapshotsOf };
}

describe('recurring jobs', () => {
  it('run again within their interval when the clock was set back by hours', async () => {
    const { clock, pass, snapshotsOf } = jobWorld([aJob({ task: 'snapshot', groups: ['default'] }), aVolume('a')]);
    await pass(21);
    expect(snapshotsOf('a').length).toBe(2);
    const before = snapshotsOf('a').map(({ metadata }) => metadata.name);
    clock.leap(-5 * 60 * minuteMs);
    await pass(25);
    expect(snapshotsOf('a').filter(({ metadata }) => !before.includes(metadata.name)).length).toBeGreaterThan(0);
  });

  it('take snapshots of the volumes with their label, and keep the newest', async () => {
    const job = aJob({ task: 'snapshot', labels: { why: 'nightly' } });
    const world = jobWorld([
      job,
      aVolume('with', { [recurringJobLabel('nightly')]: 'enabled' }),
      aVolume('other', { [recurringJobLabel('weekly')]: 'enabled' }),
    ]);
    await world.pass(45);
    const snapshots = world.snapshotsOf('with');
    expect(snapshots).toHaveLength(2);
    for (const { spec, metadata } of snapshots) {
      expect(spec).toMatchObject({
        createSnapshot: true,
        labels: { why: 'nightly', [backupLabels.recurringJob]: 'nightly' },
      });
      expect(metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Volume', name: 'with' });
    }
    expect(world.snapshotsOf('other')).toEqual([]);
    expect(world.cluster.find<RecurringJob>(recurringJobType, { namespace, name: 'nightly' })?.status).toMatchObject({
      ownerID: 'n1',
      executionCount: 4,
    });
  });

  it('create a backup of each volume on the target of that volume', async () => {
    const labels = { [recurringJobLabel('nightly')]: 'enabled' };
    const world = jobWorld([aJob({ task: 'backup', retain: 1 }), aVolume('a', labels), aVolume('b', labels)]);
    await world.pass(35);
    const backups = world.cluster.all<Backup>(backupType);
    expect(backups.map(({ metadata }) => metadata.labels?.['backup-volume']).sort()).toEqual(['a', 'b']);
    for (const { metadata } of backups) expect(metadata.labels).toMatchObject({ 'backup-target': 'away' });
  });

  it('apply to volumes of the group default without a label, and use the labels of a claim with the source label', async () => {
    const job = aJob({ task: 'snapshot', groups: ['default'] });
    const volume = aVolume('claimed');
    volume.status = { ...volume.status, kubernetesStatus: { namespace: 'shop', pvcName: 'data' } };
    const claimLabels = { [storageLabels.recurringJobSource]: 'enabled', [recurringJobLabel('another')]: 'enabled' };
    const claim: PersistentVolumeClaim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'shop', name: 'data', labels: claimLabels },
      spec: {},
    };
    const world = jobWorld([job, aVolume('plain'), volume, claim]);
    await world.pass(15);
    expect(world.snapshotsOf('plain')).toHaveLength(1);
    expect(world.snapshotsOf('claimed')).toEqual([]);
  });

  it('report which volume a run leaves out, also after a conflict with another writer of the job', async () => {
    const volume = aVolume('a', { [recurringJobLabel('nightly')]: 'enabled' });
    volume.status = { ...volume.status, state: 'detached' };
    const world = jobWorld([aJob({ task: 'snapshot' }), volume]);
    const job = () => world.cluster.find<RecurringJob>(recurringJobType, { namespace, name: 'nightly' });
    const isNoted = () => job()?.metadata.annotations?.[storageAnnotations.recurringRun] !== undefined;
    let conflicts = 0;
    world.cluster.intercept(async ({ type, verb, subresource }, next) => {
      if (
        type.kind === 'RecurringJob' &&
        verb === 'update' &&
        subresource === 'status' &&
        isNoted() &&
        conflicts === 0
      ) {
        conflicts += 1;
        world.cluster.change<RecurringJob>(recurringJobType, { namespace, name: 'nightly' }, ({ metadata }) => {
          metadata.labels = { touched: 'yes' };
        });
      }
      return await next();
    });
    await world.pass(12);
    expect(conflicts).toBe(1);
    const told = world.cluster.all(eventType, namespace).filter(({ reason }) => reason === 'Skipped');
    expect(told.map(({ involvedObject }) => involvedObject.name)).toEqual(['nightly']);
  });

  it('continue a run whose manager has ended, and create nothing twice', async () => {
    const labels = { [recurringJobLabel('nightly')]: 'enabled' };
    const volumes = ['a', 'b', 'c'].map((name) => aVolume(name, labels));
    const world = jobWorld([aJob({ task: 'snapshot', retain: 5 }), ...volumes]);
    await world.clock.advanceUntil(() => world.snapshotsOf('a').length === 1);
    await world.end();
    world.start();
    await world.pass(6);
    for (const name of ['a', 'b', 'c']) expect(world.snapshotsOf(name)).toHaveLength(1);
  });
});
