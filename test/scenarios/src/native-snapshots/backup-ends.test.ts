import { backupType, volumeSnapshotLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { answerGraceMs } from '@lateen/native-snapshots';
import { describe, expect, it } from 'vitest';
import { type BackupWorld, namespace } from '../backup/backup-world.ts';
import { backupWorlds } from '../backup/backup-worlds.ts';
import { mortalStore } from '../buckets/mortal-store.ts';
import { deathsAt, type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { mortalSnapshotters } from '../world/mortal-snapshotters.ts';
import { aSnapshotLocation, makeDisks, ofShop, shopOnDisks } from './shop-on-disks.ts';

const worlds = backupWorlds();

function shop(): BackupWorld {
  const world = worlds.empty({ objects: [...shopOnDisks(), aSnapshotLocation()] });
  makeDisks(world.cloud);
  return world;
}

const cancel = async (world: BackupWorld) => {
  await world.cluster.patch(backupType, { namespace, name: 'b' }, { type: 'merge', body: { spec: { cancel: true } } });
  await world.work();
};

const unknownText = 'a native snapshot was requested, and it is not known whether it exists';

describe('a backup that is cancelled or fails', () => {
  it('deletes its snapshots when it is cancelled', async () => {
    const world = shop();
    world.start();
    // The upload of the archive hangs.
    world.store.add({ on: 'write', about: 'b.tar.gz', fault: { hang: true } });
    await world.create('b', ofShop);
    expect(world.cloud.snapshots.size).toBe(2);
    await cancel(world);
    await world.until('b', 'Canceled');
    expect(world.cloud.snapshots.size).toBe(0);
    expect(world.stored.fileNames('b')).toEqual([]);
  });

  it('deletes its snapshots when it cannot be stored, from its own list and not from the file in the bucket', async () => {
    const world = shop();
    world.start();
    world.store.add({ on: 'get', about: 'volumesnapshots', fault: { fail: new Error('not this one') } });
    world.store.add({
      on: 'write',
      about: 'b.tar.gz',
      fault: { fail: new AppError('STORE_FULL', 'no space is left') },
    });
    await world.create('b', ofShop);
    const { status } = await world.until('b', 'Failed');
    expect(status?.failureReason).toContain('no space is left');
    expect(world.cloud.snapshots.size).toBe(0);
    expect(world.stored.fileNames('b')).toEqual(['b-logs.gz']);
  });

  it('ends also when it is cancelled while the provider does not answer, and reports what may be left', async () => {
    const world = shop();
    world.start();
    world.cloud.add({ on: 'createSnapshot', fault: { hang: true } });
    await world.create('b', ofShop);
    await cancel(world);
    await world.clock.advance(answerGraceMs);
    await world.until('b', 'Canceled');
    const told = world.log.lines.filter(({ message }) => message === unknownText);
    expect(told.map(({ fields }) => fields.volumeID).sort()).toEqual(['vol-data', 'vol-logs']);
    expect(told[0]?.fields.nextStep).toContain('look at the provider for tags velero.io/backup=b and velero.io/pv=pv-');
  });

  it('stays Canceling while the provider rejects the deletion, and ends when the deletion succeeds', async () => {
    const world = shop();
    world.start();
    world.store.add({ on: 'write', about: 'b.tar.gz', fault: { hang: true } });
    await world.create('b', ofShop);
    world.cloud.add({ on: 'deleteSnapshot', times: 1_000, fault: { fail: new AppError('SAID', 'no access') } });
    await cancel(world);
    await world.clock.advance(60_000);
    expect(world.phase('b')).toBe('Canceling');
    expect(world.stored.fileNames('b')).toEqual(['b-volumesnapshots.json.gz']);
    world.cloud.heal();
    await world.until('b', 'Canceled');
    expect([world.cloud.snapshots.size, world.stored.fileNames('b')]).toEqual([0, []]);
  });

  it('ends without its location, and keeps the list of its snapshots in the bucket', async () => {
    const world = shop();
    world.start();
    world.store.add({ on: 'write', about: 'b.tar.gz', fault: { hang: true } });
    await world.create('b', ofShop);
    world.cluster.remove(volumeSnapshotLocationType, { namespace, name: 'disks' });
    await cancel(world);
    await world.until('b', 'Canceled');
    expect(world.cloud.snapshots.size).toBe(2);
    expect(world.stored.fileNames('b')).toEqual(['b-volumesnapshots.json.gz']);
    expect(await world.stored.files.getVolumeSnapshots('b')).toHaveLength(2);
    // Another backup of the same name logs which snapshots it will no longer list.
    world.store.heal();
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    world.cluster.put(aSnapshotLocation());
    await world.create('b', ofShop);
    await world.until('b', 'Completed');
    expect(world.stored.logText('b')).toContain('an earlier backup of this name has left native snapshots');
    expect(await world.stored.files.getVolumeSnapshots('b')).toHaveLength(2);
  });
});

/**
 * Every call of a whole backup that changes something or reads the bucket, once before the other side gets it and once after, with the
 * answer lost.
 */
const steps = 36;

it.each(deathsAt(steps))(
  'a controller that dies leaves no snapshot that is reported nowhere ($atWrite, $when)',
  async (death) => {
    const world = shop();
    const mortality: Mortality = {
      dead: false,
      writes: 0,
      death,
      die: () => {
        mortality.dead = true;
      },
    };
    const first = world.start(mortalKube(world.cluster, mortality), {
      openStore: () => mortalStore(world.openStore(), mortality),
      snapshotters: mortalSnapshotters(world.cloud, mortality),
    });
    await world.create('b', ofShop);
    await world.work();
    await first.stop();
    world.start();
    const { status } = await world.until('b', 'Completed', 'PartiallyFailed', 'Failed');
    const stored = (await world.stored.files.getVolumeSnapshots('b')).map(
      ({ status: { providerSnapshotID: id } }) => id,
    );
    const told = world.log.lines.filter(({ message }) => message === unknownText).map(({ fields }) => fields.volumeID);
    if (status?.phase === 'Failed') expect(stored).toEqual([]);
    else
      expect(stored.filter(Boolean).sort()).toEqual(
        [...world.cloud.snapshots.keys()].filter((id) => stored.includes(id)),
      );
    const unknown = [...world.cloud.snapshots].filter(([id]) => !stored.includes(id));
    for (const [, { content }] of unknown) expect(told).toContain(`vol-${content.split(' ').at(-1)}`);
    expect(unknown.length).toBeLessThanOrEqual(told.length);
    expect(mortality.writes).toBeGreaterThan(0);
  },
);

it('the deaths cover all calls of a backup', async () => {
  const world = shop();
  const mortality: Mortality = { dead: false, writes: 0, die: () => {} };
  world.start(mortalKube(world.cluster, mortality), {
    openStore: () => mortalStore(world.openStore(), mortality),
    snapshotters: mortalSnapshotters(world.cloud, mortality),
  });
  await world.create('b', ofShop);
  await world.until('b', 'Completed');
  expect(mortality.writes).toBeLessThanOrEqual(steps);
});
