import { backupRepositoryType, labels, type Pod, podType } from '@lateen/api-types';
import { aPodVolumeBackup } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { clientPod, podBackupWorld } from '../world/movement-worlds.ts';
import { thePodVolumeBackup, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import { movedBytes, movedSnapshotId, movedWarning } from '../world/scripted-engine.ts';

const client = { namespace: 'app', name: 'db' };
const concluded = (world: ReturnType<typeof podBackupWorld>, withinMs?: number) =>
  untilConcluded(world, thePodVolumeBackup, withinMs);

/** Objects in the namespace of the installation other than the node-agents. */
const hostingPods = (world: ReturnType<typeof podBackupWorld>): Pod[] =>
  world.cluster.all(podType, 'velero').filter((pod) => pod.metadata.labels?.[labels.exposerPodGroup] !== undefined);

describe('a PodVolumeBackup', () => {
  it('passes through all phases, gets its snapshot on the node of its pod, and leaves nothing', async () => {
    const world = withAgents(podBackupWorld(), 'node-1', 'node-2');
    await concluded(world);
    const backup = world.podVolumeBackup();
    expect(world.phases.get('PodVolumeBackup/backup')).toEqual([
      'New',
      'Accepted',
      'Prepared',
      'InProgress',
      'Completed',
    ]);
    expect(backup?.status).toMatchObject({
      snapshotID: movedSnapshotId,
      path: `/${backup?.metadata.uid}`,
      incrementalBytes: movedBytes.incrementalBytes,
      progress: { totalBytes: 1_000, bytesDone: 1_000 },
    });
    expect(backup?.status).not.toHaveProperty('node');
    expect(backup?.metadata.finalizers ?? []).toEqual([]);
    expect(backup?.metadata.labels?.[labels.exposeOnGoing]).toBeUndefined();
    expect(hostingPods(world)).toEqual([]);
    expect(world.ended).toEqual(['node-1 pod volume backup Completed']);
    expect(world.cluster.all(backupRepositoryType).map(({ spec }) => spec.volumeNamespace)).toEqual(['app']);
  });

  it('that skipped vanished files says so in its status', async () => {
    const world = withAgents(podBackupWorld());
    world.mover.script = 'completeWithWarning';
    await concluded(world);
    expect(world.podVolumeBackup()?.status).toMatchObject({ phase: 'Completed', message: movedWarning });
  });

  it('is accepted only by the node of its spec', async () => {
    const world = withAgents(podBackupWorld(), 'node-2');
    world.startAgent('node-3');
    await world.clock.advance(60_000);
    expect(world.podVolumeBackup()?.status).toBeUndefined();
    world.startAgent('node-1');
    await concluded(world);
    expect(world.podVolumeBackup()?.status?.phase).toBe('Completed');
  });

  it('fails when its node has no node-agent, and names the node', async () => {
    const world = withAgents(podBackupWorld(), 'node-2');
    await concluded(world, 300_000);
    expect(world.podVolumeBackup()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(
        /^node node-1, where the volume is, has no running node-agent any more\. Check its pod/,
      ),
    });
  });

  it('that is canceled stops and leaves nothing', async () => {
    const world = withAgents(podBackupWorld());
    world.mover.script = 'hang';
    await untilPhase(world, 'InProgress', thePodVolumeBackup);
    world.cluster.put(aPodVolumeBackup({ ...world.podVolumeBackup(), cancel: true }));
    await concluded(world);
    expect(world.phases.get('PodVolumeBackup/backup')?.slice(-2)).toEqual(['Canceling', 'Canceled']);
    expect(hostingPods(world)).toEqual([]);
  });

  it('whose pod is deleted while the volume is read fails with that cause, whatever the mover reports', async () => {
    const world = withAgents(podBackupWorld());
    world.mover.script = 'hang';
    await untilPhase(world, 'InProgress', thePodVolumeBackup);
    world.cluster.remove(podType, client);
    await concluded(world);
    expect(world.podVolumeBackup()?.status).toMatchObject({
      phase: 'Failed',
      message: 'pod app/db does not exist any more. Start a new backup when the pod, or the one in its place, runs.',
    });
    expect(hostingPods(world)).toEqual([]);
  });

  it.each([
    [
      'is gone',
      (world: ReturnType<typeof podBackupWorld>) => world.cluster.remove(podType, client),
      'does not exist any more',
    ],
    [
      'is another one by then',
      (world: ReturnType<typeof podBackupWorld>) => {
        world.cluster.remove(podType, client);
        world.cluster.put(clientPod({ uid: 'another' }));
      },
      'is another one now',
    ],
    [
      'has ended',
      (world: ReturnType<typeof podBackupWorld>) => world.cluster.setPodPhase(client, 'Succeeded'),
      'has ended (Succeeded)',
    ],
  ])('fails when its pod %s before the mover has reported its end', async (_title, go, cause) => {
    const world = withAgents(podBackupWorld());
    world.mover.script = 'hang';
    await untilPhase(world, 'InProgress', thePodVolumeBackup);
    // Both happen at the same moment: the watch may show either first.
    world.mover.script = 'complete';
    go(world);
    await concluded(world);
    expect(world.podVolumeBackup()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining(`pod app/db ${cause}`),
    });
  });

  it('whose pod does not exist is not started', async () => {
    const world = withAgents(podBackupWorld({ without: ['Pod/db'] }));
    await concluded(world);
    expect(world.podVolumeBackup()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^error exposing the volume of the pod: pod app\/db does not exist any more\./),
    });
  });
});
