import { eventType, secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import {
  type BackupTarget,
  type BackupVolume,
  backupTargetType,
  backupType,
  backupVolumeType,
} from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { backupWorld, key } from './block-backup-world.ts';

describe('a backup of a replicated volume', () => {
  it('is read beside a replica, has the status of what is on the target, and is deleted with its blocks', async () => {
    const world = backupWorld();
    await world.clock.advanceUntil(
      () => world.cluster.find<BackupTarget>(backupTargetType, key('default'))?.status?.available === true,
    );
    world.ask('backup-1', 's1');
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
    expect(world.asked[0]).toMatchObject({ replica: 'vol-r-1', snapshot: 's1', mode: 'incremental', detached: true });
    expect(world.backup('backup-1')?.status).toMatchObject({
      ownerID: 'n1',
      progress: 100,
      volumeName: 'vol',
      snapshotName: 's1',
      labels: { why: 'test' },
      url: 's3://bucket@here/path/?backup=backup-1&volume=vol',
    });
    // After a synchronization of the target the volume has its BackupVolume object.
    await world.clock.advanceUntil(() => world.cluster.all<BackupVolume>(backupVolumeType).length === 1);
    await world.clock.advanceUntil(
      () => world.cluster.all<BackupVolume>(backupVolumeType)[0]?.status?.lastBackupName === 'backup-1',
    );
    await world.cluster.delete(backupType, key('backup-1'));
    await world.clock.advanceUntil(() => world.backup('backup-1') === undefined);
    expect([...world.memory.objects.keys()].filter((each) => each.endsWith('.blk'))).toEqual([]);
    expect(JSON.stringify([world.log.lines, world.cluster.all(backupType)])).not.toContain('hidden-word');
  });

  it.each([
    [3, 'Completed'],
    [4, 'Error'],
  ])('whose transfer is lost %i times ends in %s', async (lost, end) => {
    const world = backupWorld({}, { lost });
    world.ask('backup-1', 's1');
    const state = () => world.backup('backup-1')?.status?.state;
    await world.clock.advanceUntil(() => state() === end, { withinMs: 600_000 });
    const { messages } = world.backup('backup-1')?.status ?? {};
    expect(Object.values(messages ?? {})).toEqual(Array(3).fill('the daemon of the replica has ended'));
  });

  it('starts again beside another replica when its node does not answer for five minutes; the old transfer is stopped when the node is back', async () => {
    const world = backupWorld({}, { replicas: 2 });
    const status = () => world.backup('backup-1')?.status;
    const locks = () => [...world.memory.objects.keys()].filter((each) => each.endsWith('.lck'));
    world.ask('backup-1', 's1');
    await world.clock.advanceUntil(() => (status()?.replicaAddress ?? '') === 'tcp://10.0.0.1:10000');
    await world.clock.advance(10_000);
    world.setSilent('n1', true);
    await world.clock.advanceUntil(() => status()?.state === 'Unknown');
    await world.clock.advance(280_000);
    expect(status()?.state).toBe('Unknown');
    await world.clock.advanceUntil(() => status()?.state === 'Completed', { withinMs: 300_000 });
    expect(world.asked.map(({ replica, transfer }) => [replica, transfer])).toEqual([
      ['vol-r-1', undefined],
      ['vol-r-2', 'backup-1.again-2'],
    ]);
    expect(Object.keys(status()?.messages ?? {})).toEqual(['lost-transfer-1-silent']);
    const told = world.cluster.all(eventType).map(({ reason }) => reason);
    expect(told).toEqual(expect.arrayContaining(['BackupBeginsAgain', 'BackupCompleted']));
    // The lock of the unreachable transfer still prevents deletions of blocks that it may refer to.
    expect(locks()).toHaveLength(1);
    const stored = () =>
      [...world.memory.objects]
        .filter(([name]) => !name.endsWith('.lck'))
        .map(([name, bytes]) => [name, String(bytes)]);
    const before = stored();
    world.setSilent('n1', false);
    await world.clock.advanceUntil(() => locks().length === 0, { withinMs: 300_000 });
    expect([stored(), status()?.state]).toEqual([before, 'Completed']);
  });

  it('waits while its target is unavailable, with the cause, and continues when it is available', async () => {
    const world = backupWorld();
    world.setAway(true);
    const target = () => world.cluster.find<BackupTarget>(backupTargetType, key('default'));
    await world.clock.advanceUntil(() => target()?.status?.available === false);
    expect(target()?.status?.conditions?.[0]).toMatchObject({
      type: 'Unavailable',
      status: 'True',
      message:
        'failed to list backup volumes in s3://bucket@here/path/: error listing backup volume names: the store is away',
    });
    world.ask('backup-1', 's1');
    await world.clock.advance(60_000);
    expect(world.backup('backup-1')?.status?.state).toBe('Pending');
    world.setAway(false);
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
  });

  it('waits until the Secret of its target exists', async () => {
    const world = backupWorld();
    world.cluster.remove(secretType, key('keys'));
    const target = () => world.cluster.find<BackupTarget>(backupTargetType, key('default'));
    await world.clock.advanceUntil(() => target()?.status?.available === false);
    expect(target()?.status?.conditions?.[0]?.message).toBe(
      'failed to init backup target clients: the Secret keys of the backup target is not in longhorn-system. Make the Secret, or set the credential secret of the BackupTarget.',
    );
  });

  it('reports the target as unavailable when it hangs, and checks it again', async () => {
    const world = backupWorld();
    world.setHanging(true);
    const target = () => world.cluster.find<BackupTarget>(backupTargetType, key('default'));
    await world.clock.advanceUntil(() => target()?.status?.available === false);
    world.setHanging(false);
    await world.clock.advanceUntil(() => target()?.status?.available === true);
  });

  it('keeps the data on the target when the target is deleted', async () => {
    const world = backupWorld();
    world.ask('backup-1', 's1');
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
    await world.clock.advanceUntil(() => world.cluster.all<BackupVolume>(backupVolumeType).length === 1);
    await world.clock.advance(10_000);
    await world.cluster.delete(backupTargetType, key('default'));
    await world.clock.advanceUntil(() => world.cluster.find(backupTargetType, key('default')) === undefined);
    expect(world.cluster.all(backupVolumeType)).toEqual([]);
    expect([...world.memory.objects.keys()].some((each) => each.endsWith('.blk'))).toBe(true);
  });

  it.each([
    { code: 'NOT_SUPPORTED', retry: 'never', state: 'Error' },
    { code: 'HOST_UNREACHABLE', retry: 'soon', state: 'Pending' },
  ] as const)('whose host answers $code is $state', async ({ code, retry, state }) => {
    const world = backupWorld({
      startBackup: () => {
        throw new AppError(code, 'the host says no', { retry });
      },
    });
    world.ask('backup-1', 's1');
    await world.clock.advance(60_000);
    expect(world.backup('backup-1')?.status?.state).toBe(state);
    if (state === 'Error') expect(world.backup('backup-1')?.status?.error).toContain('the host says no');
  });
});
