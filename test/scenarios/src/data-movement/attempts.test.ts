import { annotations, type Pod, podType } from '@lateen/api-types';
import { type Movement, movementLimits } from '@lateen/data-movement';
import { aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Journey, journeys } from '../world/journeys.ts';
import { downloadWorld, uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theDownload, theUpload, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const source = { volumes: ['handle-pv-data'] };
const podKey = (of: typeof theUpload) => ({ namespace: 'velero', name: of === theUpload ? 'upload' : 'download' });
const minutes = 60_000;

/** How a hosting pod is lost while its mover works. */
const losses: Readonly<Record<string, (world: World, key: Journey['key']) => void>> = {
  'is deleted': (world, key) => world.cluster.remove(podType, key),
  'is evicted': (world, key) =>
    world.cluster.setPodPhase(key, 'Failed', {
      reason: 'Evicted',
      message: 'The node was low on resource: memory.',
    }),
  'runs out of memory': (world, key) =>
    world.cluster.setPodPhase(key, 'Failed', { exitCode: 137, containerReason: 'OOMKilled' }),
  'is killed': (world, key) => world.cluster.setPodPhase(key, 'Failed', { exitCode: 137, containerReason: 'Error' }),
};
const attemptsOf = (world: World, of: Journey['of']) => of(world)?.metadata.annotations?.[annotations.attempts];

describe.each(Object.entries(journeys))('%s whose pod', (_, { make, of, type, key, kept }) => {
  it.each(Object.entries(losses))('%s while it runs completes in a second attempt', async (__, lose) => {
    const world = make();
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress', of);
    lose(world, key);
    world.mover.script = 'complete';
    await world.until(() => attemptsOf(world, of) === '2', 30_000);
    expect(of(world)?.status).toMatchObject({
      phase: 'Accepted',
      message: expect.stringMatching(/^attempt 1 of 3 was lost: /),
    });
    expect(of(world)?.status).not.toHaveProperty('progress');
    expect(of(world)?.status).not.toHaveProperty('throughput');
    await untilConcluded(world, of, 5 * minutes);
    expect(of(world)?.status?.phase).toBe('Completed');
    expect(of(world)?.status?.message).toBeUndefined();
    expect(world.told).toEqual([expect.stringContaining('Data-Movement-Attempt-Lost: ')]);
    expect(leftovers(world, { volumes: kept(world, 'Completed') })).toEqual([]);
  });
  it('is lost in every attempt fails after the last one, and the message says so', async () => {
    const world = make();
    world.mover.script = 'killed';
    withAgents(world);
    await untilConcluded(world, of, 5 * minutes);
    expect(of(world)?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^data path (backup|restore) failed: .*OOMKilled.*\(attempt 3 of 3\)$/),
    });
    expect(leftovers(world, { volumes: kept(world, 'Failed') })).toEqual([]);
  });
  it('reports bad data fails without another attempt', async () => {
    const world = make();
    world.mover.script = 'fail';
    withAgents(world);
    await untilConcluded(world, of);
    expect(of(world)?.status?.phase).toBe('Failed');
    expect(attemptsOf(world, of)).toBeUndefined();
  });
  it('is lost, with one attempt allowed, fails as in Velero', async () => {
    const world = make();
    world.limits = { ...movementLimits, attempts: 1 };
    world.mover.script = 'killed';
    withAgents(world);
    await untilConcluded(world, of);
    expect(of(world)?.status?.phase).toBe('Failed');
    expect(of(world)?.status?.message).not.toContain('attempt');
    expect(attemptsOf(world, of)).toBeUndefined();
  });
  it('is lost after a cancel is canceled without another attempt', async () => {
    const world = make();
    world.mover.script = 'ignoreCancel';
    withAgents(world);
    await untilPhase(world, 'InProgress', of);
    world.cluster.change<Movement>(type, key, (object) => {
      object.spec.cancel = true;
    });
    losses['is killed']?.(world, key);
    await untilConcluded(world, of);
    expect(of(world)?.status?.phase).toBe('Canceled');
    expect(attemptsOf(world, of)).toBeUndefined();
  });
  it('is deleted before it runs is created again', async () => {
    const world = make();
    world.kubelet.behaviour = 'hold';
    withAgents(world);
    await world.rest();
    world.cluster.remove(podType, key);
    world.kubelet.behaviour = 'run';
    await untilConcluded(world, of, 2 * minutes);
    expect(of(world)?.status?.phase).toBe('Completed');
    expect(attemptsOf(world, of)).toBe('2');
  });
});

describe('the second attempt', () => {
  it('has its own pod with the attempt in an annotation, and removes the first pod', async () => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress');
    const first = world.cluster.find<Pod>(podType, podKey(theUpload));
    losses['is killed']?.(world, podKey(theUpload));
    await world.until(() => attemptsOf(world, theUpload) === '2', 30_000);
    await untilPhase(world, 'InProgress');
    const second = world.cluster.find<Pod>(podType, podKey(theUpload));
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
    expect(second?.metadata.annotations?.[annotations.attempts]).toBe('2');
  });
});

describe('a node that is lost with its agent', () => {
  const atWork = async (make: () => World, of: typeof theUpload) => {
    const world = make();
    world.mover.script = 'hang';
    withAgents(world, 'node-1', 'node-2');
    await untilPhase(world, 'InProgress', of);
    return { world, owner: of(world)?.status?.node ?? '' };
  };
  const other = (node: string) => (node === 'node-1' ? 'node-2' : 'node-1');

  it('together with its pod: another node records the end and starts another attempt', async () => {
    const { world, owner } = await atWork(uploadWorld, theUpload);
    await world.stopAgent(owner);
    world.cluster.remove(podType, podKey(theUpload));
    world.mover.script = 'complete';
    world.kubelet.node = other(owner);
    await untilConcluded(world, theUpload, 10 * minutes);
    expect(world.upload()?.status).toMatchObject({ phase: 'Completed', node: other(owner) });
    expect(world.told.join()).toContain('Data-Movement-Taken-Over');
    expect(leftovers(world, source)).toEqual([]);
  });
  it('while the pod keeps running: another node records the result of the same attempt', async () => {
    const { world, owner } = await atWork(uploadWorld, theUpload);
    await world.stopAgent(owner);
    await world.clock.advance(5 * minutes);
    expect(world.upload()?.status?.phase).toBe('InProgress');
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, theUpload, 10 * minutes);
    expect(world.upload()?.status).toMatchObject({ phase: 'Completed', node: other(owner) });
    expect(attemptsOf(world, theUpload)).toBeUndefined();
  });
  it('during preparation: another node continues', async () => {
    const world = uploadWorld();
    world.kubelet.behaviour = 'hold';
    withAgents(world, 'node-1', 'node-2');
    await world.rest();
    const owner = world.upload()?.status?.acceptedByNode ?? '';
    await world.stopAgent(owner);
    world.kubelet.node = other(owner);
    await world.clock.advance(3 * minutes);
    world.kubelet.behaviour = 'run';
    world.react();
    await untilConcluded(world, theUpload, 10 * minutes);
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(attemptsOf(world, theUpload)).toBeUndefined();
  });
  it('while its prepared pod is healthy: the movement waits, uses no attempt, and says so', async () => {
    const world = uploadWorld();
    world.limits = { ...movementLimits, attempts: 1, slots: 1 };
    world.mover.script = 'hang';
    withAgents(world, 'node-1', 'node-2');
    await untilPhase(world, 'InProgress');
    world.addSnapshot('second');
    const csiSnapshot = { ...world.upload()?.spec.csiSnapshot, volumeSnapshot: 'second' } as never;
    world.cluster.put(aDataUpload({ name: 'second', spec: { csiSnapshot } }));
    const second = () => world.upload('second');
    await world.until(() => second()?.status?.phase === 'Prepared');
    const owner = second()?.status?.node ?? '';
    await world.stopAgent(owner);
    await world.clock.advance(20 * minutes);
    expect(second()?.status).toMatchObject({
      phase: 'Prepared',
      message: `waiting: node ${owner}, where its hosting pod is ready, has no running node-agent. Check its pod of DaemonSet node-agent; the movement continues when that pod runs again.`,
    });
    world.startAgent(owner);
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, second, 10 * minutes);
    expect(second()?.status?.phase).toBe('Completed');
    expect(second()?.status?.message).toBeUndefined();
    expect(second()?.metadata.annotations?.[annotations.attempts]).toBeUndefined();
  });
  it('and works again before its pod is ready: it keeps the movements that it has started since', async () => {
    const world = downloadWorld();
    world.kubelet.behaviour = 'hold';
    withAgents(world, 'node-1', 'node-2');
    await world.until(() => world.download()?.status?.acceptedByNode !== undefined);
    const owner = other(world.download()?.status?.acceptedByNode ?? '');
    world.agentSeemsLost(owner);
    await world.clock.advance(5 * minutes);
    world.kubelet.node = owner;
    world.kubelet.behaviour = 'run';
    world.react();
    await untilConcluded(world, theDownload, 10 * minutes);
    expect(world.download()?.status).toMatchObject({ phase: 'Completed', node: owner });
    expect(world.told).toEqual([]);
  });
  it('and comes back within a minute: no other node has done anything', async () => {
    const { world, owner } = await atWork(downloadWorld, theDownload);
    await world.stopAgent(owner);
    await world.clock.advance(minutes);
    world.startAgent(owner);
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, theDownload, 10 * minutes);
    expect(world.download()?.status).toMatchObject({ phase: 'Completed', node: owner });
    expect(world.told).toEqual([]);
  });
});
