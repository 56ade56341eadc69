import { type BackupStorageLocation, backupStorageLocationType, dataUploadType } from '@lateen/api-types';
import { aBackupRepository } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { uploadWorld } from '../world/movement-worlds.ts';
import { untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const message = (world: World) => world.upload()?.status?.message;
const minute = 60_000;

/** An upload whose mover has reported half of its bytes and nothing since. */
async function stalled(repository = aBackupRepository()): Promise<World> {
  const world = uploadWorld({ extra: [repository] });
  world.mover.script = 'hang';
  withAgents(world);
  await untilPhase(world, 'InProgress');
  return world;
}

describe('a data path without progress', () => {
  it('is reported after a minute, and the message stays the same', async () => {
    const world = await stalled();
    await world.clock.advance(minute / 2);
    expect(message(world)).toBeUndefined();
    await world.clock.advance(minute);
    const said = message(world);
    expect(said).toMatch(
      /^waiting: the data mover has reported nothing since 20.+Z\. See what it does: kubectl logs -n velero upload$/,
    );
    await world.clock.advance(10 * minute);
    expect(message(world)).toBe(said);
  });

  it('is reported together with a location that has become unavailable', async () => {
    const world = await stalled();
    world.cluster.change<BackupStorageLocation>(
      backupStorageLocationType,
      { namespace: 'velero', name: 'default' },
      (location) => {
        location.status = {
          phase: 'Unavailable',
          message: 'BackupStorageLocation "default" is unavailable: no route.',
        };
      },
    );
    await world.clock.advance(2 * minute);
    expect(message(world)).toBe(
      'waiting: BackupStorageLocation "default" is unavailable: no route. Correct the location: the data path then continues.',
    );
  });

  it('is reported together with a repository that is not created', async () => {
    const world = await stalled(aBackupRepository({ phase: 'New' }));
    await world.clock.advance(2 * minute);
    expect(message(world)).toBe(
      'waiting: BackupRepository velero/app-default-kopia is New. Check that the controller (Deployment lateen-controller) runs, and its log.',
    );
  });

  it('is no longer reported when data moves, and never while data moves', async () => {
    const world = await stalled();
    await world.clock.advance(2 * minute);
    expect(message(world)).toContain('has reported nothing');
    for (let done = 600; done < 900; done += 50) {
      world.mover.report(done);
      await world.clock.advance(minute / 2);
      expect(message(world)).toBe('');
    }
  });

  it('leaves no such message on a movement that completes', async () => {
    const world = await stalled();
    await world.clock.advance(2 * minute);
    expect(message(world)).toContain('has reported nothing');
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(message(world)).toBeUndefined();
  });

  it('is not reported when the movement is canceled meanwhile', async () => {
    const world = await stalled();
    world.mover.script = 'ignoreCancel';
    world.cluster.change(dataUploadType, { namespace: 'velero', name: 'upload' }, (object) => {
      object.spec.cancel = true;
    });
    await untilConcluded(world, undefined, 5 * minute);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    expect(message(world)).toMatch(/did not stop within/);
  });
});
