import { backupType, finalizers, type PodVolumeBackup, podVolumeBackupType } from '@lateen/api-types';
import { backupSettingsDefault } from '@lateen/backup';
import { keyOf } from '@lateen/kube';
import { aBackupRepository, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { type BackupWorld, namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { aReadPod, claimVolume, emptyDir, ofShop, podVolumeWorlds } from './pod-volume-world.ts';

const worlds = backupWorlds();
const podVolumeWorld = podVolumeWorlds(worlds);

const db = aReadPod('db', [emptyDir('cache'), emptyDir('logs')]);
const line = (text: string) => ` resource: /pods name: /db message: /${text}`;

/** The node-agent's finalizer, which it removes after its cleanup. */
function hold(world: BackupWorld, volumes: readonly PodVolumeBackup[]): void {
  for (const volume of volumes)
    world.cluster.change<PodVolumeBackup>(podVolumeBackupType, keyOf(volume), (object) => {
      object.metadata.finalizers = [finalizers.podVolume];
    });
}

/** The node-agent has ended a movement and cleaned up. */
async function letGo(
  world: BackupWorld,
  volume: PodVolumeBackup,
  status: PodVolumeBackup['status'] = {},
): Promise<void> {
  world.cluster.change<PodVolumeBackup>(podVolumeBackupType, keyOf(volume), (object) => {
    object.status = { ...object.status, ...status };
  });
  await world.work();
  const body = { metadata: { finalizers: null } };
  await world.cluster.patch(podVolumeBackupType, keyOf(volume), { type: 'merge', body }).catch(() => {});
  await world.work();
}

describe('a volume that could not be read', () => {
  it.each([
    ['Failed', { message: 'the disk is broken' }, 'pod volume backup failed: volume cache: the disk is broken'],
    ['Failed', {}, 'pod volume backup failed: volume cache'],
    ['Canceled', { message: 'somebody wants it so' }, 'pod volume backup canceled: volume cache: somebody wants it so'],
  ] as const)(
    'because its PodVolumeBackup is %s %o: is an error, and the others are kept',
    async (phase, more, text) => {
      const made = podVolumeWorld([db]);
      const { world, volumes } = made;
      await world.create('b', ofShop);
      await volumes.write('db/cache', { phase, ...more });
      await volumes.complete('db/logs');
      expect((await world.until('b', 'PartiallyFailed')).status).toMatchObject({ errors: 1 });
      expect((await made.told()).errors).toEqual([line(text)]);
      expect(await made.outcomes()).toEqual([
        {
          apiVersion: 'v1',
          kind: 'Pod',
          namespace: 'shop',
          name: 'db',
          outcome: 'Failed',
          reason: text,
          by: 'pod volume backup',
        },
      ]);
      const infos = (await world.stored.files.getVolumeInfo('b')) ?? [];
      expect(infos.map(({ result, pvbInfo }) => [pvbInfo?.volumeName, result, pvbInfo?.Phase])).toEqual([
        ['cache', 'failed', phase],
        ['logs', 'succeeded', 'Completed'],
      ]);
      const stored = await world.stored.files.getPodVolumeBackups('b');
      expect(stored.map(({ status }) => status?.phase).sort()).toEqual([phase, 'Completed'].sort());
    },
  );

  it('because its PodVolumeBackup was deleted: is an error, and its object is not stored in the bucket', async () => {
    const made = podVolumeWorld([db]);
    const { world, volumes } = made;
    await world.create('b', ofShop);
    await volumes.write('db/cache', { phase: 'InProgress' });
    const gone = volumes.find('db/cache').metadata.name;
    world.cluster.remove(podVolumeBackupType, keyOf(volumes.find('db/cache')));
    await volumes.complete('db/logs');
    await world.until('b', 'PartiallyFailed');
    const text = `PodVolumeBackup velero/${gone} was deleted, its phase was InProgress`;
    expect((await made.told()).errors).toEqual([line(`pod volume backup failed: volume cache: ${text}`)]);
    expect(await world.stored.files.getPodVolumeBackups('b')).toHaveLength(1);
  });

  it('but was read with a message of the node-agent: has a warning with that message', async () => {
    const made = podVolumeWorld([db]);
    await made.world.create('b', ofShop);
    await made.volumes.complete('db/cache', { message: '2 files have changed while they were read: a, b' });
    await made.volumes.complete('db/logs', { message: 'volume was empty so no snapshot was taken', snapshotID: '' });
    await made.world.until('b', 'Completed');
    const text = 'pod volume cache is backed up: 2 files have changed while they were read: a, b';
    expect(await made.told()).toEqual({ errors: [], warnings: [line(text)] });
    expect(await made.outcomes()).toEqual([expect.objectContaining({ outcome: 'Warning', reason: text })]);
  });
});

describe('the timeout for pod volumes', () => {
  const hourMs = 3_600_000;
  const cancelled = (made: ReturnType<typeof podVolumeWorld>) =>
    made.volumes.all().flatMap(({ spec }) => (spec.cancel === true ? [spec.volume] : []));

  it('cancels the volumes that are left, waits for their end and reports them; volumes that were read are kept', async () => {
    const made = podVolumeWorld([db]);
    const { world, volumes } = made;
    await world.create('b', ofShop);
    await volumes.complete('db/logs');
    await volumes.write('db/cache', { phase: 'InProgress' });
    await world.clock.advance(4 * hourMs - 1_000);
    expect(cancelled(made)).toEqual([]);
    await world.clock.advance(1_000);
    await world.work();
    expect([cancelled(made), world.phase('b')]).toEqual([['cache'], 'InProgress']);
    await volumes.write('db/cache', { phase: 'Canceled', message: 'it was cancelled' });
    await world.until('b', 'PartiallyFailed');
    expect((await made.told()).errors).toEqual([line('pod volume backup canceled: volume cache: it was cancelled')]);
    const results = await world.stored.files.getResults('b');
    expect(results.errors.velero).toEqual([
      expect.stringContaining('timed out waiting for all PodVolumeBackups to complete'),
    ]);
    const stored = await world.stored.files.getPodVolumeBackups('b');
    expect(stored.map(({ spec, status }) => [spec.volume, status?.phase]).sort()).toEqual([
      ['cache', 'Canceled'],
      ['logs', 'Completed'],
    ]);
  });

  it.each([
    ['of the server', {}, { ...backupSettingsDefault.podVolumes, timeout: '2h' }, 2],
    ['of the backup itself', { 'velero.io/pod-volume-timeout': '30m' }, backupSettingsDefault.podVolumes, 0.5],
    ['of the server, when the backup says nonsense', { 'velero.io/pod-volume-timeout': 'long' }, undefined, 4],
  ])('is that %s', async (_, annotations, podVolumes, hours) => {
    const made = podVolumeWorld([db], podVolumes === undefined ? {} : { settings: { podVolumes } });
    const { world } = made;
    await world.cluster.create(backupType, {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'b', namespace, annotations },
      spec: ofShop,
    });
    await world.work();
    await world.clock.advance(hours * hourMs - 1);
    await world.work();
    expect(cancelled(made)).toEqual([]);
    await world.clock.advance(1);
    await world.work();
    expect(cancelled(made).sort()).toEqual(['cache', 'logs']);
  });

  it('does not wait for ever when no node-agent ends them', async () => {
    const made = podVolumeWorld([db]);
    const { world, volumes } = made;
    await world.create('b', ofShop);
    await volumes.complete('db/logs');
    const { name } = volumes.find('db/cache').metadata;
    await world.clock.advance(4 * hourMs);
    await world.work();
    expect([cancelled(made), world.phase('b')]).toEqual([['cache'], 'InProgress']);
    await world.clock.advance(600_000);
    await world.until('b', 'PartiallyFailed');
    const text = `PodVolumeBackup velero/${name} has not ended, its phase was New`;
    expect((await made.told()).errors).toEqual([line(`pod volume backup failed: volume cache: ${text}`)]);
    // In another cluster that has a node of that name it would start a backup of the volume.
    expect((await world.stored.files.getPodVolumeBackups('b')).map(({ spec }) => spec.volume)).toEqual(['logs']);
    expect((await world.stored.files.getVolumeInfo('b'))?.[0]).toMatchObject({
      result: 'failed',
      pvbInfo: { Phase: 'New' },
    });
  });

  it('also ends the wait for pods that are processed later', async () => {
    const held = {
      'pre.hook.backup.velero.io/command': '["freeze"]',
      'post.hook.backup.velero.io/command': '["thaw"]',
    };
    const names = ['backup.velero.io/backup-volumes', 'wal'] as const;
    const pods = Array.from({ length: 9 }, (_, at) =>
      aReadPod(`db-${at}`, [emptyDir('wal')], { annotations: { [names[0]]: names[1], ...held } }),
    );
    const made = podVolumeWorld(pods);
    const { world, volumes } = made;
    await world.create('b', ofShop);
    expect(volumes.names()).toHaveLength(8);
    await world.clock.advance(4 * hourMs);
    await world.work();
    for (const name of volumes.names()) await volumes.write(name, { phase: 'Canceled' });
    await world.until('b', 'PartiallyFailed');
    expect(volumes.names()).toHaveLength(8);
    const { errors } = await made.told();
    expect(
      errors.filter((each) => each.includes('pod volume wal: the timeout for pod volumes has passed')),
    ).toHaveLength(1);
  });

  it('finds PodVolumeBackups that are gone although the watch reports nothing', async () => {
    const made = podVolumeWorld([db]);
    const { world, volumes } = made;
    await world.create('b', ofShop);
    await volumes.complete('db/logs');
    world.cluster.failTimes(1_000, 'watch', podVolumeBackupType, 'KUBE_UNAVAILABLE');
    world.cluster.failTimes(1_000, 'patch', podVolumeBackupType, 'KUBE_NOT_FOUND');
    await world.clock.advance(4 * hourMs);
    await world.work();
    expect(world.phase('b')).toBe('PartiallyFailed');
  });
});

describe('a watch that is interrupted', () => {
  it('misses no end', async () => {
    const { world, volumes } = podVolumeWorld([db]);
    await world.create('b', ofShop);
    world.cluster.closeWatches({});
    await volumes.complete('db/cache');
    await volumes.complete('db/logs');
    await world.until('b', 'Completed');
    expect(world.backup('b')?.status?.warnings).toBeUndefined();
  });
});

describe('a backup that is cancelled or fails', () => {
  const cancel = async (world: BackupWorld) => {
    const body = { spec: { cancel: true } };
    await world.cluster.patch(backupType, { namespace, name: 'b' }, { type: 'merge', body });
    await world.work();
  };

  it('cancels its PodVolumeBackups, waits for their node-agents, and has what they stored forgotten', async () => {
    const { world, volumes } = podVolumeWorld([
      db,
      aBackupRepository({
        name: 'shop-default-kopia',
        labels: {
          'velero.io/volume-namespace': 'shop',
          'velero.io/storage-location': 'default',
          'velero.io/repository-type': 'kopia',
        },
        spec: { volumeNamespace: 'shop' },
      }),
    ]);
    await world.create('b', ofShop);
    await volumes.complete('db/logs');
    const running = volumes.find('db/cache');
    hold(world, [running]);
    await volumes.write('db/cache', { phase: 'InProgress' });
    await cancel(world);
    expect(world.phase('b')).toBe('Canceling');
    expect(volumes.find('db/cache').metadata.deletionTimestamp).toBeDefined();
    await letGo(world, running, { phase: 'Canceled' });
    await world.until('b', 'Canceled');
    expect(volumes.all()).toEqual([]);
    expect(world.stored.fileNames('b')).toEqual([]);
    const asked = world.cluster.everything().filter(({ metadata }) => metadata.labels?.['lateen.dev/forget-request']);
    expect(JSON.stringify(asked)).toContain('snapshot-of-db/logs');
  });

  it('cancels them also when it is deleted', async () => {
    const { world, volumes } = podVolumeWorld([db]);
    await world.create('b', ofShop);
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    await world.untilTrue(() => world.backup('b') === undefined);
    expect(volumes.all()).toEqual([]);
  });

  it('cancels them when its controller dies at any write', async () => {
    let hasEnded = false;
    let madeAtMost = 0;
    for (let atWrite = 0; !hasEnded; atWrite++) {
      const { world, volumes } = podVolumeWorld(
        [db, aReadPod('c', [claimVolume('data')]), aPersistentVolumeClaim({ namespace: 'shop' })],
        { start: false },
      );
      const life: Mortality = {
        dead: false,
        writes: 0,
        death: { atWrite, when: 'after' },
        die: () => {
          life.dead = true;
        },
      };
      const first = world.start(mortalKube(world.cluster, life));
      await world.create('b', ofShop);
      // All writes are made that are possible before the first volume has ended.
      hasEnded = !life.dead;
      life.dead = true;
      await first.stop();
      madeAtMost = Math.max(madeAtMost, volumes.names().length);
      world.start();
      await world.work();
      for (const name of volumes.names()) await volumes.complete(name);
      const { status } = await world.until('b', 'Failed', 'Completed', 'PartiallyFailed');
      const left = volumes.all().length;
      expect({ atWrite, phase: status?.phase, left: status?.phase === 'Failed' ? left : 0 }).toEqual({
        atWrite,
        phase: status?.phase,
        left: 0,
      });
    }
    expect(madeAtMost).toBe(3);
  });
});
