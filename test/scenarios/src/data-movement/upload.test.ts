import { describe, expect, it, onTestFinished } from 'vitest';
import { uploadWorld } from '../world/movement-worlds.ts';
import { movedBytes, movedSnapshotId } from '../world/mover-actor.ts';
import { leftovers } from '../world/nothing-left.ts';
import type { World } from '../world/world.ts';

const source = { volumes: ['handle-pv-data'] };

function started(world: World): World {
  onTestFinished(() => world.stop());
  world.startAgent();
  return world;
}

const hasEnded = (world: World) => () => world.upload()?.status?.completionTimestamp !== undefined;
const isConcluded = (world: World) => () => hasEnded(world)() && world.upload()?.metadata.finalizers?.length !== 1;

describe('a snapshot goes to the repository', () => {
  it.each([
    ['with a class that binds at once', 'Immediate' as const],
    ['with a class that waits for a consumer', 'WaitForFirstConsumer' as const],
  ])('%s: through every phase, with the result in status, and nothing is left', async (_, bindingMode) => {
    const world = started(uploadWorld({ bindingMode }));
    await world.until(isConcluded(world));
    await world.rest();
    expect(world.phases.get('DataUpload/upload')).toEqual(['New', 'Accepted', 'Prepared', 'InProgress', 'Completed']);
    expect(world.upload()?.status).toMatchObject({
      phase: 'Completed',
      acceptedByNode: 'node-1',
      node: 'node-1',
      nodeOS: 'linux',
      path: '/dataupload-velero-upload',
      snapshotID: movedSnapshotId,
      incrementalBytes: movedBytes.incrementalBytes,
      progress: { totalBytes: 1_000, bytesDone: 1_000 },
    });
    expect(leftovers(world, source)).toEqual([]);
    expect(world.logs).toMatchObject({ whole: ['velero/upload'], torn: [] });
  });
  it('takes no time but that of the cluster: nothing is polled', async () => {
    const world = started(uploadWorld());
    const startMs = world.clock.now();
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(world.clock.now() - startMs).toBe(0);
  });
});
