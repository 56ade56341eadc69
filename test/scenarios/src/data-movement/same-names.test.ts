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
 * A name is not an identity: the object that had it may be gone, and a user may have created another one of that name. The user's object is
 * never deleted, and ours always is.
 */
const source = { volumes: ['handle-pv-data'] };
const key = { namespace: 'velero', name: 'upload' };
const hours = 3_600_000;

/** A user's snapshot under the name that the upload uses; its content has the name of the source's content. */
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

/** What is left in addition to the user's objects. */
const ours = (world: World) =>
  leftovers(world, { ...source, snapshots: ['their-handle'] }).filter(
    (each) => each !== 'snapshot snapshot' && each !== 'content content',
  );

describe("a user's snapshot with the name that an upload uses", () => {
  it('stays when an upload that one node accepted and another ran is deleted long after its end', async () => {
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
    'stays when it was created while the mover ran, and the mover then ends with: %s',
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

  it('stays when the node-agent starts the exposure again after it had deleted the source', async () => {
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

  it('stays when the upload was canceled before its own snapshot was copied', async () => {
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

describe('another upload with the name of a deleted one', () => {
  it('starts after the remains of the first are removed, which a user deleted by removing its finalizer', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress');
    const stop = world.cluster.intercept(async (call, next) => {
      // The node-agent reads the object again only after the second one exists.
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
