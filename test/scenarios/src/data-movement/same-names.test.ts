import {
  type DataUpload,
  dataUploadType,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { aDataUpload, aVolumeSnapshot, aVolumeSnapshotContent } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

/*
 * A name is not an identity: what had it may be gone, and somebody else may have made another object of that name. What is
 * theirs is never deleted, and what is ours always is.
 */
const source = { volumes: ['handle-pv-data'] };
const key = { namespace: 'velero', name: 'upload' };
const hours = 3_600_000;

/** Somebody else's snapshot under the name that the upload gives; its content has the name of the source's. */
function putTheirs(world: World): void {
  world.storage.snapshots.add('their-handle');
  world.cluster.put(
    aVolumeSnapshotContent({
      uid: 'their-content',
      finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
      spec: {
        deletionPolicy: 'Retain',
        volumeSnapshotRef: { namespace: 'app', name: 'snapshot', uid: 'their-snapshot' },
      },
      status: { snapshotHandle: 'their-handle' },
    }),
    aVolumeSnapshot({
      uid: 'their-snapshot',
      finalizers: ['snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'],
    }),
  );
}

function theirsIsThere(world: World): void {
  const snapshot = world.cluster.find(volumeSnapshotType, { namespace: 'app', name: 'snapshot' });
  expect(snapshot?.metadata).toMatchObject({ uid: 'their-snapshot' });
  expect(snapshot?.metadata.deletionTimestamp).toBeUndefined();
  const content = world.cluster.find<VolumeSnapshotContent>(volumeSnapshotContentType, { name: 'content' });
  expect(content?.metadata).toMatchObject({ uid: 'their-content' });
  expect(content?.metadata.deletionTimestamp).toBeUndefined();
  expect(content?.spec.deletionPolicy).toBe('Retain');
}

/** What is left beside theirs. */
const ours = (world: World) =>
  leftovers(world, { ...source, snapshots: ['their-handle'] }).filter(
    (each) => each !== 'snapshot snapshot' && each !== 'content content',
  );

describe("somebody else's snapshot, of the name that an upload gives", () => {
  it('stays when an upload is deleted long after its end, that one node accepted and another ran', async () => {
    const world = uploadWorld();
    world.kubelet.behaviour = 'hold';
    withAgents(world, 'node-1', 'node-2');
    await world.rest();
    const acceptor = world.upload()?.status?.acceptedByNode;
    world.kubelet.node = acceptor === 'node-1' ? 'node-2' : 'node-1';
    world.kubelet.behaviour = 'run';
    world.react();
    await untilConcluded(world);
    expect(world.upload()?.status).toMatchObject({ phase: 'Completed', node: world.kubelet.node });
    await world.clock.advance(2 * hours);
    putTheirs(world);
    await world.cluster.delete(dataUploadType, key);
    await world.rest();
    await world.clock.advance(60_000);
    expect(world.upload()).toBeUndefined();
    theirsIsThere(world);
  });

  it.each(['complete', 'fail'] as const)(
    'stays when it was made while the mover ran, and the mover then says: %s',
    async (end) => {
      const world = uploadWorld();
      world.mover.script = 'hang';
      withAgents(world);
      await untilPhase(world, 'InProgress');
      await world.clock.advance(1 * hours);
      putTheirs(world);
      world.mover.script = end;
      world.react();
      await untilConcluded(world);
      theirsIsThere(world);
      expect(ours(world)).toEqual([]);
    },
  );

  it('stays when the node-agent begins anew on the exposure, whose source it had deleted', async () => {
    const world = uploadWorld();
    world.kubelet.behaviour = 'hold';
    withAgents(world);
    await untilPhase(world, 'Accepted');
    await world.stopAgent();
    await world.clock.advance(10_000);
    putTheirs(world);
    world.startAgent();
    await world.rest();
    theirsIsThere(world);
    world.kubelet.behaviour = 'run';
    world.react();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
    theirsIsThere(world);
    expect(ours(world)).toEqual([]);
  });

  it('stays when the upload was canceled before its own was taken over', async () => {
    const world = uploadWorld({ without: ['VolumeSnapshot/snapshot', 'VolumeSnapshotContent/content'] });
    world.storage.snapshots.delete('snapshot-handle');
    await world.clock.advance(2_000);
    putTheirs(world);
    world.cluster.change<DataUpload>(dataUploadType, key, (object) => {
      object.spec.cancel = true;
    });
    withAgents(world);
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    theirsIsThere(world);
  });
});

describe('another upload of the same name', () => {
  it('has what was left of the first one taken away, which somebody removed with its finalizer', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress');
    const stop = world.cluster.intercept(async (call, next) => {
      // The node-agent only looks again when the second one is there.
      if (call.verb === 'get' && call.type === dataUploadType && world.upload() === undefined) {
        world.addSnapshot('second');
        const csiSnapshot = { volumeSnapshot: 'second', storageClass: 'lateen' };
        world.cluster.put(aDataUpload({ uid: 'second', spec: { csiSnapshot } }));
      }
      return await next();
    });
    world.cluster.remove(dataUploadType, key);
    await world.rest();
    stop();
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world);
    expect(world.upload()).toMatchObject({ metadata: { uid: 'second' }, status: { phase: 'Completed' } });
    expect(leftovers(world, source)).toEqual([]);
  });
});
