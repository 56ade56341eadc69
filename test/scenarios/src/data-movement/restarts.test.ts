import { type DataUpload, dataUploadType, persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { phaseMoves } from '@lateen/data-movement';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Journey, journeys } from '../world/journeys.ts';
import { downloadWorld, uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theDownload, theUpload, untilConcluded, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

/*
 * The process may die at any write. These tests kill it at each one, once before the server has it and once after, with the answer lost.
 * The next process has to bring the movement to the same end, and nothing may leak or be lost.
 */
const whens = ['before', 'after'] as const;
/** More than the writes of any journey; the tests end where no process dies any more. */
const writesMax = 40;

function expectLegalMoves(world: World, key: string): void {
  const phases = world.phases.get(key) ?? [];
  for (const [index, phase] of phases.slice(1).entries()) {
    const from = phases[index] ?? 'New';
    expect(phaseMoves[from] as readonly string[]).toContain(phase);
  }
}

async function dieAndRestart(world: World, atWrite: number, when: 'before' | 'after', of: Journey['of']) {
  onTestFinished(() => world.stop());
  world.startAgent('node-1', { atWrite, when });
  const isOver = () =>
    world.agentIsDead() || (of(world)?.status?.completionTimestamp != null && !of(world)?.metadata.finalizers?.length);
  await world.until(isOver, 120_000);
  const died = world.agentIsDead();
  if (died) {
    await world.restartAgent();
    world.react();
  }
  await untilConcluded(world, of, 10 * 60_000);
  return died;
}

describe('a node-agent that dies', () => {
  it.each(whens)('at any write of an upload, %s it: the upload completes and nothing is left', async (when) => {
    let deaths = 0;
    for (let write = 0; write < writesMax; write++) {
      const world = uploadWorld({ bindingMode: write % 2 === 0 ? 'Immediate' : 'WaitForFirstConsumer' });
      const died = await dieAndRestart(world, write, when, theUpload);
      expect(world.upload()?.status?.phase, `write ${write}`).toBe('Completed');
      expect(leftovers(world, { volumes: ['handle-pv-data'] }), `write ${write}`).toEqual([]);
      expectLegalMoves(world, 'DataUpload/upload');
      await world.stop();
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(10);
    expect(deaths).toBeLessThan(writesMax);
  });
  it.each(whens)(
    'at any write of a download, %s it: the claim gets the volume, the status has the throughput, and nothing is left',
    async (when) => {
      let deaths = 0;
      for (let write = 0; write < writesMax; write++) {
        const world = downloadWorld();
        const died = await dieAndRestart(world, write, when, theDownload);
        expect(world.download()?.status, `write ${write}`).toMatchObject({
          phase: 'Completed',
          progress: { totalBytes: 1_000, bytesDone: 1_000 },
          // From the mover's last report: its pod, and with it the termination message, is deleted before the volume is bound.
          throughput: { reader: 'packs', filesDone: 40, durationMilliseconds: 2_000 },
        });
        const claim = world.cluster.find(persistentVolumeClaimType, { namespace: 'app', name: 'data' });
        const volume = world.cluster.find(persistentVolumeType, { name: claim?.spec.volumeName ?? '' });
        expect(claim?.status?.phase, `write ${write}`).toBe('Bound');
        expect(volume?.spec.persistentVolumeReclaimPolicy, `write ${write}`).toBe('Delete');
        expect(leftovers(world, { volumes: [volume?.spec.csi?.volumeHandle ?? ''] }), `write ${write}`).toEqual([]);
        expectLegalMoves(world, 'DataDownload/download');
        await world.stop();
        if (!died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(10);
      expect(deaths).toBeLessThan(writesMax);
    },
  );
  it.each(
    ['a pod volume backup', 'a pod volume restore'].flatMap((title) => whens.map((when) => [title, when] as const)),
  )('at any write of %s, %s it: it completes and nothing is left', async (title, when) => {
    const { make, of, type, key } = journeys[title] as Journey;
    let deaths = 0;
    for (let write = 0; write < writesMax; write++) {
      const world = make();
      const died = await dieAndRestart(world, write, when, of);
      expect(of(world)?.status?.phase, `write ${write}`).toBe('Completed');
      expect(leftovers(world, { volumes: [] }), `write ${write}`).toEqual([]);
      expectLegalMoves(world, `${type.kind}/${key.name}`);
      await world.stop();
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(5);
    expect(deaths).toBeLessThan(writesMax);
  });
  it.each(whens)('at any write of an upload that fails, %s it: it fails and nothing is left', async (when) => {
    for (let write = 0; write < writesMax; write++) {
      const world = uploadWorld();
      world.mover.script = 'fail';
      const died = await dieAndRestart(world, write, when, theUpload);
      expect(world.upload()?.status, `write ${write}`).toMatchObject({
        phase: 'Failed',
        message: expect.stringContaining('no such bucket'),
      });
      expect(leftovers(world, { volumes: ['handle-pv-data'] }), `write ${write}`).toEqual([]);
      await world.stop();
      if (!died) break;
    }
  });
});

describe('a node-agent that is restarted', () => {
  it('while the mover runs: watches it again, even beyond the slot limit, and gets its result', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    await world.restartAgent();
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('InProgress');
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(world.logs.whole).toEqual(['velero/upload']);
  });
  it('while the mover ends: finds its result', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    await world.stopAgent();
    world.mover.script = 'complete';
    world.react();
    world.startAgent();
    await untilConcluded(world);
    expect(world.upload()?.status).toMatchObject({ phase: 'Completed', incrementalBytes: 250 });
    expect(leftovers(world, { volumes: ['handle-pv-data'] })).toEqual([]);
  });
  it('after a cancel was requested: cancels', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    await world.stopAgent();
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'upload' }, (object) => {
      object.spec.cancel = true;
    });
    world.startAgent();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    expect(leftovers(world, { volumes: ['handle-pv-data'] })).toEqual([]);
  });
});

describe('watches that are closed', () => {
  it('at any moment of an upload: no event is missed', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    world.cluster.closeWatches({});
    world.mover.report(700);
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
  it('and have expired: everything is listed again', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    world.cluster.closeWatches({});
    world.mover.script = 'completeWithoutEvents';
    world.react();
    world.cluster.compact();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
  it('before the first list: an upload created before that is found', async () => {
    const world = uploadWorld();
    world.cluster.failTimes(4, 'list', () => true, 'KUBE_UNAVAILABLE');
    withAgents(world);
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
});
