import { type Pod, podType } from '@lateen/api-types';
import { type Movement, movementLimits } from '@lateen/data-movement';
import {
  aDataUpload,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPodVolumeBackup,
  aPodVolumeRestore,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { movementTypes } from '../world/movement-types.ts';
import { clientPod, owningRestore, podBackupWorld, uploadWorld, waitingPod } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { thePodVolumeBackup, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const movements = (world: World): Movement[] => movementTypes.flatMap((type) => world.cluster.all(type));
const inPhase = (world: World, ...phases: string[]) =>
  movements(world)
    .filter((each) => phases.includes(each.status?.phase ?? 'New'))
    .map((each) => each.metadata.name ?? '');

/** An upload of a snapshot, three backups and a restore of volumes of running pods, all on one node. */
function crowd(): World {
  const names = ['b-1', 'b-2', 'b-3'];
  const podOf = (name: string) => ({ kind: 'Pod', namespace: 'app', name, uid: `pod-app-${name}` });
  const objects = [
    ...names.flatMap((name) => [clientPod({ name }), aPodVolumeBackup({ name, spec: { pod: podOf(name) } })]),
    owningRestore,
    waitingPod({ name: 'r' }),
    aPodVolumeRestore({ name: 'r', spec: { pod: podOf('r') } }),
  ];
  return uploadWorld({ extra: objects }, aDataUpload());
}

describe('movements of all kinds', () => {
  it('share the slots of their node, and a restore is started next', async () => {
    const world = crowd();
    world.limits = { ...movementLimits, slots: 2 };
    let most = 0;
    const begun = new Set<string>();
    world.cluster.intercept(async (_, next) => {
      const answer = await next();
      for (const name of inPhase(world, 'InProgress')) begun.add(name);
      most = Math.max(most, inPhase(world, 'InProgress', 'Canceling').length);
      return answer;
    });
    world.mover.script = 'hang';
    withAgents(world);
    await world.until(() => inPhase(world, 'Prepared').length + inPhase(world, 'InProgress').length === 5);
    await world.rest();
    world.mover.script = 'complete';
    world.react();
    await world.until(() => inPhase(world, 'Completed').length === 5, 120_000);
    expect(most).toBe(2);
    expect([...begun].slice(0, 3)).toContain('r');
  });

  it('share the prepare queue', async () => {
    const world = crowd();
    world.limits = { ...movementLimits, slots: 5, prepareQueueLength: 2 };
    let most = 0;
    world.cluster.intercept(async (_, next) => {
      const answer = await next();
      most = Math.max(most, inPhase(world, 'Accepted', 'Prepared').length);
      return answer;
    });
    withAgents(world);
    await world.until(() => inPhase(world, 'Completed').length === 5, 300_000);
    expect(most).toBe(2);
  });
});

const hasEnded = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

describe('many volumes of pods of one node', () => {
  it('are prepared only as fast as the node can start them; the others report what they wait for', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `b-${at}`);
    const podOf = (name: string) => ({ kind: 'Pod', namespace: 'app', name, uid: `pod-app-${name}` });
    const world = uploadWorld({
      extra: names.flatMap((name) => [clientPod({ name }), aPodVolumeBackup({ name, spec: { pod: podOf(name) } })]),
    });
    world.limits = { ...movementLimits, slots: 2 };
    const movers = () =>
      world.cluster
        .all(podType, 'velero')
        .filter(({ metadata, status }) => metadata.name?.startsWith('b-') && !hasEnded(status?.phase));
    let most = 0;
    world.cluster.intercept(async (_, next) => {
      const answer = await next();
      most = Math.max(most, movers().length);
      return answer;
    });
    world.mover.script = 'hang';
    withAgents(world);
    await world.clock.advance(60_000);
    const waiting = movements(world).filter(({ status }) => (status?.phase ?? 'New') === 'New');
    expect([movers().length, waiting.length]).toEqual([18, 22]);
    for (const { status } of waiting)
      expect(status?.message).toContain('waiting: 16 movements of volumes of pods are being prepared on node node-1');
    world.mover.script = 'complete';
    world.react();
    await world.until(() => inPhase(world, 'Completed').filter((name) => name.startsWith('b-')).length === 40, 600_000);
    expect(most).toBeLessThanOrEqual(18);
  });
});

describe('a volume that is mounted a second time instead of read from its path on the node', () => {
  const settings = { podVolume: { access: 'claim' as const, kubeletDirectory: '/var/lib/kubelet' } };
  const onClaim = () => {
    const claim = { namespace: 'app', name: 'data', uid: 'claim-data' };
    const pod = clientPod({
      spec: {
        containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    const world = podBackupWorld(
      {
        extra: [
          aPersistentVolumeClaim({ ...claim, volumeName: 'pv-data' }),
          aPersistentVolume({ name: 'pv-data', claim }),
        ],
      },
      aPodVolumeBackup(),
      pod,
    );
    world.storage.volumes.add('handle-pv-data');
    world.settings = settings;
    return world;
  };

  it('is read to the end although its pod is deleted: it stays mounted in the mover', async () => {
    const world = onClaim();
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress', thePodVolumeBackup);
    const mover = world.cluster.find<Pod>(podType, { namespace: 'velero', name: 'backup' });
    expect(mover?.spec.volumes?.some(({ hostPath }) => hostPath !== undefined)).toBe(false);
    world.cluster.remove(podType, { namespace: 'app', name: 'db' });
    await world.clock.advance(30_000);
    expect(world.podVolumeBackup()?.status?.phase).toBe('InProgress');
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, thePodVolumeBackup);
    expect(world.podVolumeBackup()?.status?.phase).toBe('Completed');
    expect(leftovers(world, { volumes: ['handle-pv-data'] })).toEqual([]);
  });
});
