import { type Pod, podType } from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import { aPodVolumeBackup } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { journeys } from '../world/journeys.ts';
import { podBackupWorld, podRestoreWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { thePodVolumeBackup, thePodVolumeRestore, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const minutes = 60_000;
const ofPods = Object.entries(journeys).filter(([title]) => title.startsWith('a pod volume'));

/** While nobody works on node-1, node-2 and node-3 have their agents. */
const others = (world: World) => {
  for (const node of ['node-2', 'node-3']) world.startAgent(node);
};

describe.each(ofPods)('%s, on a node that has lost its agent', (_title, { make, of, type, key }) => {
  it('and whose mover goes on: its end is recorded by one other node, once', async () => {
    const world = make();
    world.mover.script = 'hang';
    withAgents(world);
    others(world);
    await untilPhase(world, 'InProgress', of);
    await world.stopAgent();
    await world.clock.advance(5 * minutes);
    expect(of(world)?.status?.phase).toBe('InProgress');
    const logsBefore = world.logs.whole.length;
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, of, 10 * minutes);
    expect(of(world)?.status?.phase).toBe('Completed');
    // Log and metrics are of the one that has recorded it.
    expect(world.logs.whole.slice(logsBefore)).toEqual([`velero/${key.name}`]);
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });

  it('and whose first stand-in is lost too: the next one records the end', async () => {
    const world = make();
    world.mover.script = 'hang';
    withAgents(world);
    others(world);
    await untilPhase(world, 'InProgress', of);
    await world.stopAgent();
    await world.stopAgent('node-2');
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, of, 10 * minutes);
    expect(of(world)?.status?.phase).toBe('Completed');
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });

  it('and is not heard of: fails, and says which node it is', async () => {
    const world = make();
    world.mover.script = 'hang';
    withAgents(world);
    others(world);
    await untilPhase(world, 'InProgress', of);
    await world.stopAgent();
    world.cluster.change<Pod>(podType, key, (pod) => {
      pod.status = { ...pod.status, conditions: [{ type: 'Ready', status: 'False' }] };
    });
    await untilConcluded(world, of, 10 * minutes);
    expect(of(world)?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^node node-1, where the volume is, .* and the hosting pod does not report/),
    });
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });

  it('and is canceled: ends all the same', async () => {
    const world = make();
    world.mover.script = 'ignoreCancel';
    withAgents(world);
    others(world);
    await untilPhase(world, 'InProgress', of);
    await world.stopAgent();
    world.cluster.change<Movement>(type, key, ({ spec }) => {
      spec.cancel = true;
    });
    await untilConcluded(world, of, 10 * minutes);
    expect(of(world)?.status?.phase).toBe('Canceled');
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });

  it('for a while: its agent comes back and continues with it, in the same attempt', async () => {
    const world = make();
    world.mover.script = 'hang';
    withAgents(world);
    others(world);
    await untilPhase(world, 'InProgress', of);
    await world.stopAgent();
    await world.clock.advance(10 * minutes);
    world.startAgent();
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, of, 10 * minutes);
    expect(of(world)?.status?.phase).toBe('Completed');
    expect(world.told).toEqual([]);
    expect(world.ended).toEqual([expect.stringMatching(/^node-1 .* Completed$/)]);
  });
});

describe('what is prepared on a node that loses its agent', () => {
  it('waits for it when it is a restore, and says so', async () => {
    const world = podRestoreWorld();
    world.kubelet.behaviour = 'hold';
    withAgents(world);
    others(world);
    await untilPhase(world, 'Accepted', thePodVolumeRestore);
    await world.stopAgent();
    await world.clock.advance(10 * minutes);
    expect(world.podVolumeRestore()?.status).toMatchObject({
      phase: 'Accepted',
      message: expect.stringMatching(
        /^waiting: node node-1, where the volume is, has no running node-agent any more\./,
      ),
    });
    world.startAgent();
    world.kubelet.behaviour = 'run';
    world.react();
    await untilConcluded(world, thePodVolumeRestore, 10 * minutes);
    expect(world.podVolumeRestore()?.status?.phase).toBe('Completed');
    expect(world.podVolumeRestore()?.status?.message).toBeUndefined();
  });

  it('fails soon when it is a backup, for which an application may be frozen', async () => {
    const world = podBackupWorld();
    world.kubelet.behaviour = 'hold';
    withAgents(world);
    others(world);
    await untilPhase(world, 'Accepted', thePodVolumeBackup);
    await world.stopAgent();
    await untilConcluded(world, thePodVolumeBackup, 3 * minutes);
    expect(world.podVolumeBackup()?.status?.phase).toBe('Failed');
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });
});

describe('without pod volumes', () => {
  it('nobody looks at them, nor at pods outside of the namespace of the installation', async () => {
    const world = podBackupWorld({ extra: [aPodVolumeBackup({ name: 'second' })] });
    world.podVolumes = false;
    withAgents(world);
    await world.clock.advance(5 * minutes);
    expect(world.podVolumeBackup()?.status).toBeUndefined();
    const looked = world.cluster.calls.filter(
      ({ type, options }) =>
        type?.resource.startsWith('podvolume') ||
        (type?.kind === 'Pod' && (options as { namespace?: string } | undefined)?.namespace !== 'velero'),
    );
    expect(looked).toEqual([]);
  });
});
