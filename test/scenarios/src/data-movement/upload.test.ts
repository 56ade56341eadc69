import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
} from '@lateen/api-types';
import { aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import { movedBytes, movedSnapshotId } from '../world/scripted-engine.ts';

const source = { volumes: ['handle-pv-data'] };
const everyPhase = ['New', 'Accepted', 'Prepared', 'InProgress', 'Completed'];

describe('an upload of a snapshot', () => {
  it.each([
    ['with a class that binds immediately', 'Immediate' as const],
    ['with a class that waits for a consumer', 'WaitForFirstConsumer' as const],
  ])('%s: passes through every phase, has the result in status, and leaves nothing', async (_, bindingMode) => {
    const world = withAgents(uploadWorld({ bindingMode }));
    await untilConcluded(world);
    expect(world.phases.get('DataUpload/upload')).toEqual(everyPhase);
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
    expect(world.upload()?.status?.startTimestamp).toBeDefined();
    expect(world.upload()?.status?.completionTimestamp).toBeDefined();
    expect(leftovers(world, source)).toEqual([]);
    expect(world.logs).toMatchObject({ whole: ['velero/upload'], torn: [] });
  });
  it('takes no time on the clock, because nothing is polled', async () => {
    const world = withAgents(uploadWorld());
    const startMs = world.clock.now();
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(world.clock.now() - startMs).toBe(0);
  });
  it.each(['completeWithoutEvents', 'completeWithoutMessage'] as const)(
    'completes when only one of the two reports arrives (%s)',
    async (script) => {
      const world = uploadWorld();
      world.mover.script = script;
      await untilConcluded(withAgents(world));
      expect(world.upload()?.status).toMatchObject({ phase: 'Completed', snapshotID: movedSnapshotId });
      expect(leftovers(world, source)).toEqual([]);
    },
  );
  it('of a claim that is gone completes', async () => {
    const world = withAgents(uploadWorld({ without: ['PersistentVolumeClaim/data'] }));
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
  it('deletes the copy also when its class has the policy Retain', async () => {
    const world = withAgents(uploadWorld({ reclaimPolicy: 'Retain' }));
    await untilConcluded(world);
    expect(leftovers(world, source)).toEqual([]);
    expect(world.cluster.all(persistentVolumeType).map((volume) => volume.metadata.name)).toEqual(['pv-data']);
  });
  it('waits with a watch for a snapshot that is not ready yet', async () => {
    const world = uploadWorld();
    world.storage.holdSnapshots = true;
    withAgents(world);
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('Accepted');
    expect(world.upload()?.metadata.labels?.['velero.io/expose-on-going']).toBe('true');
    world.storage.holdSnapshots = false;
    world.react();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
  it('reports progress at most once a second, and always the latest', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress');
    await world.clock.advance(5_000);
    const before = world.cluster.calls.length;
    for (let tenth = 1; tenth <= 30; tenth++) {
      world.mover.report(500 + tenth);
      await world.clock.advance(100);
    }
    await world.clock.advance(1_000);
    const writes = world.cluster.calls
      .slice(before)
      .filter(({ verb, type }) => `${verb} ${type.kind}` === 'patch DataUpload');
    expect(writes.length).toBeGreaterThanOrEqual(3);
    expect(writes.length).toBeLessThanOrEqual(5);
    expect(world.upload()?.status?.progress).toEqual({ totalBytes: 1_000, bytesDone: 530 });
  });
});

describe('several node-agents', () => {
  it('share an upload: one accepts, the one where the pod runs does the rest', async () => {
    const world = uploadWorld();
    world.kubelet.node = 'node-2';
    withAgents(world, 'node-1');
    await world.rest();
    expect(world.upload()?.status).toMatchObject({ phase: 'Accepted', acceptedByNode: 'node-1' });
    withAgents(world, 'node-2');
    await untilConcluded(world);
    expect(world.upload()?.status).toMatchObject({ phase: 'Completed', acceptedByNode: 'node-1', node: 'node-2' });
    expect(leftovers(world, source)).toEqual([]);
  });
  it('compete for the same object, and each phase is written once', async () => {
    const world = withAgents(uploadWorld(), 'node-1', 'node-2');
    await untilConcluded(world);
    expect(world.phases.get('DataUpload/upload')).toEqual(everyPhase);
    expect(world.ended).toEqual([`${world.upload()?.status?.node} data upload Completed`]);
    const pods = world.cluster.calls.filter(
      (call) => call.verb === 'create' && call.type.resource === podType.resource,
    );
    expect(pods).toHaveLength(1);
  });
});

describe('one slot per node', () => {
  it('the second upload waits in Prepared until the first has ended, which starts it', async () => {
    const second = aDataUpload({
      name: 'second',
      spec: { csiSnapshot: { volumeSnapshot: 'other', storageClass: 'lateen' } },
    });
    const world = uploadWorld({ extra: [second] });
    world.addSnapshot('other');
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    const phases = () => [world.upload()?.status?.phase, world.upload('second')?.status?.phase].toSorted();
    expect(phases()).toEqual(['InProgress', 'Prepared']);
    const readings = world.readings.get('node-1')?.();
    expect(readings).toMatchObject({ slots: { total: 1, taken: 1, waiting: 1 }, exposures: { running: 0 } });
    expect(readings?.phases).toEqual([
      { words: 'data upload', phase: 'InProgress', count: 1 },
      { words: 'data upload', phase: 'Prepared', count: 1 },
    ]);
    const startMs = world.clock.now();
    world.mover.script = 'complete';
    world.react();
    await world.until(() => phases().every((phase) => phase === 'Completed'));
    expect(world.clock.now() - startMs).toBeLessThan(1_000);
    await untilConcluded(world, (each) => each.upload('second'));
    await untilConcluded(world);
    expect(leftovers(world, source)).toEqual([]);
  });
});

describe('objects for other data movers', () => {
  it('are not changed, not even by a finalizer', async () => {
    const world = withAgents(uploadWorld({}, aDataUpload({ spec: { datamover: 'another' } })));
    const before = JSON.stringify(world.upload());
    await world.rest();
    await world.clock.advance(3_600_000);
    expect(JSON.stringify(world.upload())).toBe(before);
  });
  it.each(['', 'velero', 'velero-fs'])('datamover "%s" is ours', async (datamover) => {
    const world = withAgents(uploadWorld({}, aDataUpload({ spec: { datamover } })));
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
  const toBlock = aDataUpload({ spec: { datamover: 'velero-block' } });
  it('datamover "velero-block" is ours for a volume of mode Block', async () => {
    const world = uploadWorld({}, toBlock);
    const key = { namespace: 'app', name: 'data' };
    world.cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, key, ({ spec }) => {
      spec.volumeMode = 'Block';
    });
    await untilConcluded(withAgents(world));
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
  it('datamover "velero-block" is refused for a volume with a file system, and the right one is named', async () => {
    const world = withAgents(uploadWorld({}, toBlock));
    await world.rest();
    expect(world.upload()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/app\/data has volumeMode Filesystem, .* velero-block .* velero-fs/),
    });
    await untilConcluded(world);
    expect(leftovers(world, source)).toEqual([]);
  });
});
