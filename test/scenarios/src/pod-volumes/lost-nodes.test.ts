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

/** node-1 has no agent; node-2 and node-3 have theirs. */
const others = (world: World) => {
  for (const node of ['node-2', 'node-3']) world.startAgent(node);
};

describe.each(ofPods)('%s, on a node that has lost its agent', (_title, { make, of, type, key }) => {
  it('while its mover keeps running: one other node records its end, once', async () => {
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
    // The node that has recorded the end has the log line and the metrics.
    expect(world.logs.whole.slice(logsBefore)).toEqual([`velero/${key.name}`]);
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });

  it('and the agent that took over is lost too: the next one records the end', async () => {
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

  it('and whose mover does not report: fails, and names the node', async () => {
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

  it('when it is canceled: ends nevertheless', async () => {
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

  it('temporarily: its agent comes back and continues the same attempt', async () => {
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

describe('a movement in preparation on a node that loses its agent', () => {
  it('waits for the agent when it is a restore, and says so', async () => {
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

  it('fails soon when it is a backup, because an application may be frozen for it', async () => {
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

describe('with pod volumes disabled', () => {
  it('no agent reads PodVolumeBackups, or pods outside the namespace of the installation', async () => {
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
