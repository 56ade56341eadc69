import { backupType, isTerminalPhase, podVolumeBackupType } from '@lateen/api-types';
import {
  aBackupStorageLocation,
  aDaemonSet,
  aNamespace,
  aNode,
  aPersistentVolume,
  aPersistentVolumeClaim,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { cloudCredentials, namespace } from '../backup/backup-world.ts';
import { backupWorlds } from '../backup/backup-worlds.ts';
import { aReadPod, claimVolume, emptyDir, ofShop } from '../backup/pod-volume-world.ts';
import { leftovers } from '../world/nothing-left.ts';
import { withAgents } from '../world/run-world.ts';
import { movedSnapshotId } from '../world/scripted-engine.ts';
import { World } from '../world/world.ts';

/* The controller and the node-agents are the product's; only engine, kubelets and storage are simulated. */

const worlds = backupWorlds();

function wholeWorld(...nodes: string[]) {
  const agents = withAgents(
    new World({
      objects: [
        ...['node-1', 'node-2'].map((name) => aNode({ name })),
        aDaemonSet(),
        cloudCredentials(),
        aBackupStorageLocation(),
        aNamespace({ name: 'shop' }),
        aPersistentVolumeClaim({ name: 'data', namespace: 'shop', volumeName: 'pv-data' }),
        aPersistentVolume({ name: 'pv-data', claim: { namespace: 'shop', name: 'data' } }),
        aReadPod('db', [claimVolume('data'), emptyDir('wal')], { node: 'node-1' }),
        aReadPod('web', [claimVolume('data'), emptyDir('cache')], { node: 'node-2' }),
      ],
    }),
    ...nodes,
  );
  const nothingElse = { volumes: ['handle-pv-data'] };
  const backups = worlds.empty({ on: agents });
  backups.start();
  const volumes = () => agents.cluster.all(podVolumeBackupType, namespace);
  return { agents, backups, volumes, left: () => leftovers(agents, nothingElse) };
}

describe('a backup of pods on two nodes', () => {
  it('has a snapshot of each volume, one of the shared volume, and leaves nothing', async () => {
    const { agents, backups, left } = wholeWorld('node-1', 'node-2');
    await backups.create('b', ofShop);
    const { status } = await backups.until('b', 'Completed', 'PartiallyFailed');
    expect(status).toMatchObject({ phase: 'Completed' });
    expect(status?.warnings).toBeUndefined();
    const stored = await backups.stored.files.getPodVolumeBackups('b');
    expect(stored.map((each) => each.status?.snapshotID)).toEqual([movedSnapshotId, movedSnapshotId, movedSnapshotId]);
    expect(stored.map(({ spec }) => spec.volume).sort()).toEqual(['cache', 'data', 'wal']);
    // Movement objects stay until the logs of their movers are stored.
    await agents.until(() => left().length === 0);
  });

  it('reports the volumes of the node that has no node-agent, and has the others', async () => {
    const { backups } = wholeWorld('node-1');
    await backups.create('b', ofShop);
    await backups.until('b', 'PartiallyFailed');
    const { errors } = await backups.stored.files.getResults('b');
    expect(JSON.stringify(errors)).toContain(
      'Error backing up pod volume cache: daemonset pod not found in running state in node node-2',
    );
    const stored = await backups.stored.files.getPodVolumeBackups('b');
    expect(stored.map(({ spec }) => spec.volume).sort()).toEqual(['data', 'wal']);
  });

  it('is complete although a node-agent is lost for good: another one finds what its mover has stored', async () => {
    const { agents, backups, volumes } = wholeWorld('node-1', 'node-2');
    agents.mover.script = 'hang';
    await backups.create('b', ofShop);
    const isReadThere = () =>
      volumes().some(({ spec, status }) => spec.node === 'node-2' && status?.phase === 'InProgress');
    await agents.until(isReadThere);
    await agents.stopAgent('node-2');
    agents.mover.script = 'complete';
    await agents.until(() => volumes().every(({ status }) => isTerminalPhase(status?.phase)), 600_000);
    await backups.until('b', 'PartiallyFailed', 'Completed');
    expect(backups.phase('b')).toBe('Completed');
    expect(await backups.stored.files.getPodVolumeBackups('b')).toHaveLength(3);
  });

  it.each(['cancelled', 'deleted'])('leaves nothing when it is %s while volumes are read', async (how) => {
    const { agents, backups, volumes, left } = wholeWorld('node-1', 'node-2');
    agents.mover.script = 'hang';
    await backups.create('b', ofShop);
    await agents.until(() => volumes().some(({ status }) => status?.phase === 'InProgress'));
    const key = { namespace, name: 'b' };
    if (how === 'deleted') await agents.cluster.delete(backupType, key);
    else await agents.cluster.patch(backupType, key, { type: 'merge', body: { spec: { cancel: true } } });
    await backups.untilTrue(() => backups.backup('b') === undefined || backups.phase('b') === 'Canceled');
    expect(volumes()).toEqual([]);
    expect(left()).toEqual([]);
    expect(backups.stored.fileNames('b')).toEqual([]);
  });

  it('ends when movers hang: after the timeout the node-agents cancel them', async () => {
    const { agents, backups, volumes, left } = wholeWorld('node-1', 'node-2');
    agents.mover.script = 'hang';
    await agents.cluster.create(backupType, {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'b', namespace, annotations: { 'velero.io/pod-volume-timeout': '10m' } },
      spec: ofShop,
    });
    await backups.until('b', 'PartiallyFailed');
    expect(volumes().map(({ status }) => status?.phase)).toEqual(['Canceled', 'Canceled', 'Canceled']);
    const { errors } = await backups.stored.files.getResults('b');
    expect(JSON.stringify(errors)).toContain('timed out waiting for all PodVolumeBackups to complete');
    // Movement objects stay until the logs of their movers are stored.
    await agents.until(() => left().length === 0);
  });
});
