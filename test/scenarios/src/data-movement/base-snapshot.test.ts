import {
  type DataUpload,
  dataUploadType,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { readBase } from '@lateen/changed-blocks/base';
import { aDataUpload } from '@lateen/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theUpload, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import { movedSnapshotId, readReport } from '../world/scripted-engine.ts';
import type { World } from '../world/world.ts';

const source = { volumes: ['handle-pv-data'] };
const kept = ['snapshot upload', 'content upload', 'data of snapshot snapshot-handle'];
/** More than the number of writes of an upload. */
const writesMax = 45;

const keeping = (parts: Partial<DataUpload['spec']> = {}) =>
  aDataUpload({ spec: { dataMoverConfig: { KeepBaseSnapshot: 'true' }, ...parts } });

/** The volume handle of the claim. */
function keepingWorld(upload = keeping()): World {
  const world = uploadWorld({}, upload);
  const volume = world.cluster.find(persistentVolumeType, { name: 'pv-data' });
  expect(volume?.spec.csi).toMatchObject({ driver: 'csi.lateen.dev', volumeHandle: 'handle-pv-data' });
  return world;
}
const basesOf = ({ cluster }: World) => cluster.all(volumeSnapshotType).flatMap((snapshot) => readBase(snapshot) ?? []);

describe('a snapshot that an upload keeps as base for the next one', () => {
  it('stays with its record, and nothing else stays', async () => {
    const world = withAgents(keepingWorld());
    await untilConcluded(world);
    expect(leftovers(world, source)).toEqual(kept);
    expect(basesOf(world)).toMatchObject([
      {
        claim: { namespace: 'app', name: 'data', uid: 'claim-data' },
        volumeHandle: 'handle-pv-data',
        snapshotHandle: 'snapshot-handle',
        snapshotID: movedSnapshotId,
        backupStorageLocation: 'default',
      },
    ]);
  });

  it('is given to the mover of a block volume for the next upload, and the status reports whether it was used', async () => {
    const world = keepingWorld();
    world.mover.script = 'hang';
    world.cluster.change<PersistentVolumeClaim>(
      persistentVolumeClaimType,
      { namespace: 'app', name: 'data' },
      (claim) => {
        claim.spec.volumeMode = 'Block';
      },
    );
    withAgents(world);
    await untilPhase(world, 'InProgress');
    const pod = world.cluster.find(podType, { namespace: 'velero', name: 'upload' });
    expect(pod?.spec.containers[0]?.args?.slice(-4)).toEqual([
      '--cbt-sa-name=velero',
      '--snapshot-id=upload',
      '--volume-id=handle-pv-data',
      '--claim-uid=claim-data',
    ]);
    world.mover.script = 'completeByChanges';
    await untilConcluded(world);
    expect(theUpload(world)?.status).toMatchObject({
      phase: 'Completed',
      incrementalBytes: 250,
      changedBlocks: readReport,
    });
  });

  it('is deleted with its DataUpload, on the storage too', async () => {
    const world = withAgents(keepingWorld());
    await untilConcluded(world);
    await world.cluster.delete(dataUploadType, { namespace: 'velero', name: 'upload' });
    world.react();
    await world.rest();
    expect(leftovers(world, source)).toEqual([]);
  });

  it('does not stay when the upload is canceled or fails', async () => {
    for (const script of ['hang', 'fail'] as const) {
      const world = keepingWorld();
      world.mover.script = script;
      withAgents(world);
      if (script === 'hang') {
        await untilPhase(world, 'InProgress');
        await world.cluster.patch(
          dataUploadType,
          { namespace: 'velero', name: 'upload' },
          { type: 'merge', body: { spec: { cancel: true } } },
        );
      }
      await untilConcluded(world);
      expect(leftovers(world, source)).toEqual([]);
    }
  });

  it.each(['before', 'after'] as const)(
    'stays exactly once when a node-agent dies at any write, %s it',
    async (when) => {
      let deaths = 0;
      for (let write = 0; write < writesMax; write++) {
        const world = keepingWorld();
        onTestFinished(() => world.stop());
        world.startAgent('node-1', { atWrite: write, when });
        await world.until(
          () =>
            world.agentIsDead() ||
            (theUpload(world)?.status?.completionTimestamp != null && !theUpload(world)?.metadata.finalizers?.length),
          120_000,
        );
        const died = world.agentIsDead();
        if (died) {
          await world.restartAgent();
          world.react();
        }
        await untilConcluded(world, theUpload, 10 * 60_000);
        expect(leftovers(world, source), `write ${write}`).toEqual(kept);
        expect(basesOf(world), `write ${write}`).toHaveLength(1);
        await world.stop();
        if (!died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(10);
      expect(deaths).toBeLessThan(writesMax);
    },
  );
});
