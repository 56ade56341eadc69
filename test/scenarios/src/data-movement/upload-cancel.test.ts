import { type DataUpload, dataUploadType } from '@lateen/api-types';
import { aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { untilConcluded, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const source = { volumes: ['handle-pv-data'] };
const minutes = 60_000;
const key = { namespace: 'velero', name: 'upload' };

/** A world whose upload stays in the phase. */
const worlds: Record<'New' | 'Accepted' | 'exposed' | 'Prepared' | 'InProgress', () => World> = {
  New: () => uploadWorld(),
  Accepted: () => {
    const world = uploadWorld();
    world.storage.holdSnapshots = true;
    return world;
  },
  exposed: () => {
    const world = uploadWorld();
    world.kubelet.behaviour = 'hold';
    return world;
  },
  Prepared: () => {
    const first = aDataUpload({
      name: 'first',
      spec: { csiSnapshot: { volumeSnapshot: 'other', storageClass: 'lateen' } },
    });
    const world = uploadWorld({ extra: [first] });
    world.addSnapshot('other');
    world.mover.script = 'hang';
    return world;
  },
  InProgress: () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    return world;
  },
};

async function cancel(world: World): Promise<void> {
  await world.cluster.patch(dataUploadType, key, { type: 'merge', body: { spec: { cancel: true } } });
}

describe('cancelling', () => {
  it('an upload that no node-agent has accepted yet', async () => {
    const world = uploadWorld({}, aDataUpload({ cancel: true }));
    withAgents(world);
    await untilConcluded(world);
    expect(world.phases.get('DataUpload/upload')).toEqual(['New', 'Canceled']);
  });
  it.each(['Accepted', 'exposed', 'InProgress'] as const)(
    'in %s ends in Canceled immediately and leaves nothing',
    async (phase) => {
      const world = withAgents(worlds[phase]());
      await world.rest();
      expect(world.upload()?.status?.phase).toBe(phase === 'exposed' ? 'Accepted' : phase);
      await cancel(world);
      await untilConcluded(world, undefined, 5_000);
      expect(world.upload()?.status?.phase).toBe('Canceled');
      expect(leftovers(world, source)).toEqual([]);
      expect(world.logs.torn).toEqual([]);
    },
  );
  it('in Prepared, while it waits for a slot, frees no slot of others', async () => {
    const world = withAgents(worlds.Prepared());
    await world.rest();
    const waiting = [world.upload(), world.upload('first')].find((each) => each?.status?.phase === 'Prepared');
    const other = waiting?.metadata.name === 'upload' ? 'first' : 'upload';
    await world.cluster.patch(
      dataUploadType,
      { ...key, name: waiting?.metadata.name ?? '' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.until(() => world.upload(waiting?.metadata.name)?.status?.phase === 'Canceled');
    world.mover.script = 'complete';
    world.react();
    await world.until(() => world.upload(other)?.status?.phase === 'Completed');
    await untilConcluded(world, (each) => each.upload(other));
    expect(leftovers(world, source)).toEqual([]);
  });
  it('passes through Canceling while the mover stops', async () => {
    const world = withAgents(worlds.InProgress());
    await world.rest();
    world.mover.script = 'ignoreCancel';
    await cancel(world);
    await world.rest();
    world.mover.script = 'hang';
    world.react();
    await untilConcluded(world);
    expect(world.phases.get('DataUpload/upload')?.slice(-3)).toEqual(['InProgress', 'Canceling', 'Canceled']);
  });
  it('that comes too late keeps the result', async () => {
    const world = withAgents(worlds.InProgress());
    await world.rest();
    world.mover.script = 'ignoreCancel';
    await cancel(world);
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('Canceling');
    world.mover.script = 'complete';
    world.cluster.change<DataUpload>(dataUploadType, key, (object) => {
      object.spec.cancel = false;
    });
    world.react();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
  it('that the mover ignores is forced within 30 s', async () => {
    const world = worlds.InProgress();
    world.mover.script = 'ignoreCancel';
    withAgents(world);
    await world.rest();
    await cancel(world);
    await world.clock.advance(15_000);
    expect(world.upload()?.status?.phase).toBe('Canceling');
    await world.clock.advance(15_000);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    await untilConcluded(world);
    expect(leftovers(world, source)).toEqual([]);
  });
  it('twice is the same as once', async () => {
    const world = withAgents(worlds.InProgress());
    await world.rest();
    await Promise.all([cancel(world), cancel(world)]);
    await untilConcluded(world);
    expect(world.phases.get('DataUpload/upload')?.filter((phase) => phase === 'Canceled')).toHaveLength(1);
  });
});

describe('deleting an upload that has not ended', () => {
  it.each(['Accepted', 'exposed', 'InProgress'] as const)(
    'in %s cancels it; it is gone when nothing is left',
    async (phase) => {
      const world = withAgents(worlds[phase]());
      await world.rest();
      await world.cluster.delete(dataUploadType, key);
      await world.until(() => world.upload() === undefined, 10_000);
      await world.rest();
      expect(world.phases.get('DataUpload/upload')?.at(-1)).toBe('Canceled');
      expect(leftovers(world, source)).toEqual([]);
    },
  );
  it('is named as the reason in its message', async () => {
    const world = worlds.InProgress();
    world.mover.script = 'ignoreCancel';
    withAgents(world);
    await world.rest();
    await world.cluster.delete(dataUploadType, key);
    await world.rest();
    expect(world.upload()?.status?.message).toBe('Cancel dataupload because it is being deleted');
  });
  it('with its finalizer removed also removes everything', async () => {
    const world = withAgents(worlds.InProgress());
    await world.rest();
    world.cluster.remove(dataUploadType, key);
    await world.rest();
    await world.clock.advance(1_000);
    await world.rest();
    expect(leftovers(world, source)).toEqual([]);
  });
});

describe('when the node that runs the upload is lost for good', () => {
  it('another node cancels an accepted upload within 30 s', async () => {
    const world = withAgents(worlds.exposed(), 'node-1', 'node-2');
    await world.rest();
    const acceptor = world.upload()?.status?.acceptedByNode ?? '';
    await world.stopAgent(acceptor);
    await cancel(world);
    await world.clock.advance(20_000);
    expect(world.upload()?.status?.phase).toBe('Accepted');
    await world.clock.advance(10_000);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    await untilConcluded(world, undefined, 10 * minutes);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    expect(leftovers(world, source)).toEqual([]);
  });
  it('another node ends an upload that was never prepared', async () => {
    const world = withAgents(worlds.exposed(), 'node-1', 'node-2');
    await world.rest();
    await world.stopAgent(world.upload()?.status?.acceptedByNode);
    await world.clock.advance(32 * minutes);
    await untilConcluded(world, undefined, 10 * minutes);
    expect(world.upload()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('timeout on preparing data upload'),
    });
    expect(leftovers(world, source)).toEqual([]);
  });
  it('another node forces the cancel of a running upload within 30 s', async () => {
    const world = withAgents(worlds.InProgress(), 'node-1', 'node-2');
    await world.rest();
    await world.stopAgent(world.upload()?.status?.node);
    world.mover.script = 'ignoreCancel';
    await cancel(world);
    await world.clock.advance(30_000);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    await untilConcluded(world, undefined, 10 * minutes);
    expect(leftovers(world, source)).toEqual([]);
  });
});
