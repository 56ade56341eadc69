import { type CoreEvent, eventType } from '@lateen/api-types';
import {
  type BackupVolume,
  backupLabels,
  backupVolumeType,
  longhornGroup,
  longhornVersion,
  type RecurringJob,
  type RecurringJobSpec,
  recurringJobType,
  type Setting,
  settingType,
  storageAnnotations,
  type Volume,
  type VolumeSpec,
  volumeType,
} from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import type { Death } from '../world/mortal-kube.ts';
import { backupWorld, key } from './block-backup-world.ts';
import { aBackupTarget, aFoundBackup, aSetting, aVolume, backupUrlOf, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const apiVersion = `${longhornGroup}/${longhornVersion}`;
const jobLabel = 'recurring-job.longhorn.io/daily';
const groupLabel = 'recurring-job-group.longhorn.io/gold';
const enabled = 'enabled';
const daily: RecurringJobSpec = {
  name: 'daily',
  task: 'backup',
  cron: '0 3 * * *',
  retain: 3,
  concurrency: 2,
  groups: ['gold'],
};
const aJob = (spec: RecurringJobSpec = {}): RecurringJob => ({
  apiVersion,
  kind: 'RecurringJob',
  metadata: key('daily'),
  spec: { ...daily, ...spec },
});
const info = JSON.stringify({ daily: { jobSpec: daily, fromGroup: ['gold'], fromJob: true } });

describe('a backup of a volume with recurring jobs', () => {
  it('has them on the target and in its BackupVolume, and not in the Backup', async () => {
    const world = backupWorld();
    world.cluster.put(aJob());
    const other: RecurringJob = { ...aJob({ name: 'other', groups: [] }), metadata: key('other') };
    world.cluster.put(other);
    world.cluster.change<Volume>(volumeType, key('vol'), ({ metadata }) => {
      metadata.labels = { [jobLabel]: enabled, [groupLabel]: enabled };
    });
    await world.clock.advance(1_000);
    world.ask('backup-1', 's1');
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
    expect(JSON.parse(world.asked[0]?.labels[backupLabels.recurringJobInfo] ?? '')).toEqual(JSON.parse(info));
    expect(world.backup('backup-1')?.spec.labels).toEqual({ why: 'test' });
    expect(world.backup('backup-1')?.status?.labels).toEqual({ why: 'test' });
    const stored = () => world.cluster.all<BackupVolume>(backupVolumeType)[0]?.status;
    await world.clock.advanceUntil(() => stored()?.lastBackupName === 'backup-1');
    expect(JSON.parse(stored()?.labels?.[backupLabels.recurringJobInfo] ?? '')).toEqual(JSON.parse(info));
  });
});

const setting = 'restore-volume-recurring-jobs';

const aBackupVolume = (text: string | undefined, lastBackupAt = '2029-12-01T00:00:00Z'): BackupVolume => ({
  apiVersion,
  kind: 'BackupVolume',
  metadata: key('source-default'),
  spec: { volumeName: 'source', backupTargetName: 'default' },
  status: {
    lastBackupName: 'backup-1',
    lastBackupAt,
    labels: text === undefined ? null : { [backupLabels.recurringJobInfo]: text },
  },
});

interface Of {
  readonly on?: boolean;
  readonly spec?: Partial<VolumeSpec>;
  readonly labels?: Record<string, string>;
  readonly job?: RecurringJob;
  readonly backupVolume?: BackupVolume | undefined;
}

/** A cluster into which volume `source` is restored as `vol`. */
function restoreWorld({ on = true, spec = {}, labels = {}, job, ...of }: Of = {}): StorageWorld {
  const backupVolume = 'backupVolume' in of ? of.backupVolume : aBackupVolume(info);
  const volume = aVolume('vol', { fromBackup: backupUrlOf('backup-1'), ...spec });
  const objects = [
    ...[aBackupTarget(), aFoundBackup('backup-1', '2029-12-01T00:00:00Z'), aSetting(setting, String(on))],
    ...[job, backupVolume].flatMap((each) => (each === undefined ? [] : [each])),
    { ...volume, metadata: { ...volume.metadata, labels } },
  ];
  const world = new StorageWorld({ nodes: ['n1', 'n2', 'n3'], objects });
  world.hosts.backups.set('backup-1', [9001, 9002]);
  return world;
}

async function restore(world: StorageWorld): Promise<void> {
  world.startAll();
  const isRestored = () => world.volume()?.status?.restoreRequired === false && world.state() === 'detached/unknown';
  await world.clock.advanceUntil(isRestored, { withinMs: 7_200_000 });
  await world.clock.advance(10_000);
}

const jobOf = (world: StorageWorld) => world.cluster.find<RecurringJob>(recurringJobType, key('daily'));
const labelsOf = (world: StorageWorld) => world.volume()?.metadata.labels ?? {};
const noteOf = (world: StorageWorld) => world.volume()?.metadata.annotations?.[storageAnnotations.recurringJobs];
const told = (world: StorageWorld, reason: string) =>
  world.cluster
    .all<CoreEvent>(eventType, namespace)
    .filter((event) => event.reason === reason && event.involvedObject.name === 'vol')
    .map(({ message = '' }) => message);

describe('the recurring jobs of a restored volume', () => {
  it('are created when they do not exist, and the volume gets their labels, with the setting', async () => {
    const world = restoreWorld();
    await restore(world);
    expect(jobOf(world)?.spec).toEqual(daily);
    expect(labelsOf(world)).toMatchObject({ [jobLabel]: enabled, [groupLabel]: enabled });
    expect(told(world, 'RecurringJobsRestored')).toHaveLength(1);
  });

  it.each<[string, Of, boolean]>([
    ['the setting is off', { on: false }, false],
    ['the volume says disabled', { spec: { restoreVolumeRecurringJob: 'disabled' } }, false],
    ['the volume says enabled', { on: false, spec: { restoreVolumeRecurringJob: 'enabled' } }, true],
    ['the backup has none', { backupVolume: aBackupVolume(undefined) }, false],
  ])('when %s (%j): restored: %s', async (_title, of, comeBack) => {
    const world = restoreWorld(of);
    await restore(world);
    expect(jobOf(world) !== undefined).toBe(comeBack);
    expect(labelsOf(world)[jobLabel]).toBe(comeBack ? enabled : undefined);
  });

  it('keep an existing job of that name, and an Event lists the differences', async () => {
    const world = restoreWorld({ job: aJob({ cron: '0 4 * * *' }) });
    await restore(world);
    expect(jobOf(world)?.spec.cron).toBe('0 4 * * *');
    expect(labelsOf(world)).toMatchObject({ [jobLabel]: enabled, [groupLabel]: enabled });
    expect(told(world, 'RecurringJobDiffers')).toEqual([expect.stringContaining('daily (cron)')]);
  });

  it.each(['{"daily":', '[1]', '{"daily":{"jobSpec":{"cron":7}}}', '{"../x":{"jobSpec":{}}}'])(
    'that cannot be parsed, %s, do no harm, and an Event says so',
    async (text) => {
      const world = restoreWorld({ backupVolume: aBackupVolume(text) });
      await restore(world);
      expect(world.cluster.all(recurringJobType)).toEqual([]);
      expect(Object.keys(labelsOf(world)).filter((each) => each.includes('recurring'))).toEqual([]);
      expect(told(world, 'RecurringJobsNotRestored')).toHaveLength(1);
    },
  );

  it('that the API server rejects are reported, and the volume is restored', async () => {
    const world = restoreWorld();
    world.cluster.failOnce('create', recurringJobType, 'KUBE_FORBIDDEN');
    await restore(world);
    expect(jobOf(world)).toBeUndefined();
    expect(told(world, 'RecurringJobRefused')).toHaveLength(1);
    expect(noteOf(world)).toBe('done');
  });

  it('are restored once: a label or job that is deleted later stays deleted, and existing labels stay', async () => {
    const world = restoreWorld({ labels: { [groupLabel]: 'no' } });
    await restore(world);
    expect(labelsOf(world)).toMatchObject({ [jobLabel]: enabled, [groupLabel]: 'no' });
    world.cluster.change<Volume>(volumeType, key('vol'), ({ metadata }) => {
      metadata.labels = {};
    });
    await world.cluster.delete(recurringJobType, key('daily'));
    await world.stopAll();
    world.startAll();
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 600_000 });
    expect([labelsOf(world), jobOf(world)]).toEqual([{}, undefined]);
  });

  it('are not added to volumes that were restored before the setting was enabled', async () => {
    const world = restoreWorld({ on: false });
    await restore(world);
    world.cluster.change<Setting>(settingType, key(setting), (object) => {
      object.value = 'true';
    });
    await world.clock.advance(7_200_000);
    expect([noteOf(world), jobOf(world)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['not known yet', undefined],
    ['from before the backup', aBackupVolume('{}', '2029-11-01T00:00:00Z')],
  ])('are restored when the target was read: its BackupVolume is %s', async (_title, backupVolume) => {
    const world = restoreWorld({ backupVolume });
    await restore(world);
    expect([noteOf(world), jobOf(world)]).toEqual(['wanted', undefined]);
    if (backupVolume !== undefined) await world.cluster.delete(backupVolumeType, key('source-default'));
    world.cluster.put(aBackupVolume(info));
    await world.clock.advanceUntil(() => noteOf(world) === 'done');
    expect(labelsOf(world)).toMatchObject({ [jobLabel]: enabled });
    expect(jobOf(world)?.spec).toEqual(daily);
  });

  it('are given up after an hour in which the target was not read', async () => {
    const world = restoreWorld({ backupVolume: undefined });
    await restore(world);
    await world.clock.advanceUntil(() => noteOf(world) === 'done', { withinMs: 3_700_000 });
    await world.clock.advance(1_000);
    expect(told(world, 'RecurringJobsNotRestored')).toEqual([expect.stringContaining('No BackupVolume names')]);
  });
});

describe('a manager that dies between two of its writes', () => {
  async function life(death?: Death): Promise<number> {
    const world = restoreWorld();
    const { life: first } = world.start('n1', death);
    let restarted = false;
    const isThere = () => {
      if (first.dead && !restarted) {
        restarted = true;
        world.start('n1');
      }
      return noteOf(world) === 'done';
    };
    await world.clock.advanceUntil(isThere, { withinMs: 600_000 });
    const writes = first.writes;
    expect(jobOf(world)?.spec).toEqual(daily);
    expect(labelsOf(world)).toMatchObject({ [jobLabel]: enabled, [groupLabel]: enabled });
    await world.stopAll();
    return writes;
  }
  it('restores the jobs nevertheless', async () => {
    const writes = await life();
    expect(writes).toBeGreaterThan(3);
    for (let atWrite = 0; atWrite < writes; atWrite++) {
      await life({ atWrite, when: 'before' });
      await life({ atWrite, when: 'after' });
    }
  });
});
