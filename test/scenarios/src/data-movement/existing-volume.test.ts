import {
  type DataDownload,
  dataDownloadType,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import { aDataDownload, aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { downloadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theDownload, untilConcluded, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const claimKey = { namespace: 'app', name: 'data' };
const volumeKey = { name: 'pv-data' };
const writesMax = 40;

/** Claim app/data with a volume that has data, and a DataDownload into that claim. */
function existingWorld(reclaimPolicy: 'Delete' | 'Retain' = 'Delete'): World {
  const claim = aPersistentVolumeClaim({ uid: 'claim-target', volumeName: 'pv-data' });
  const volume = aPersistentVolume({
    claim: { ...claimKey, uid: 'claim-target' },
    spec: { persistentVolumeReclaimPolicy: reclaimPolicy },
  });
  const download = aDataDownload({
    spec: { restoreType: 'full', targetVolume: { pvc: 'data', pv: 'pv-data', namespace: 'app' } },
  });
  const world = downloadWorld({ without: ['PersistentVolumeClaim/data'], extra: [claim, volume] }, download);
  world.storage.volumes.add('handle-pv-data');
  return world;
}

/** The claim, its volume object and the data are unchanged, and nothing was added. */
function expectUntouched(world: World, what = '') {
  const { cluster } = world;
  expect(
    cluster.all(persistentVolumeType).map(({ metadata }) => metadata.name),
    what,
  ).toEqual(['pv-data']);
  expect(cluster.find(persistentVolumeType, volumeKey)?.spec.claimRef, what).toMatchObject({ uid: 'claim-target' });
  expect(cluster.find(persistentVolumeClaimType, claimKey), what).toMatchObject({
    spec: { volumeName: 'pv-data' },
    status: { phase: 'Bound' },
  });
  expect(leftovers(world, { volumes: ['handle-pv-data'] }), what).toEqual([]);
}

const written = (world: World) =>
  world.cluster.calls.filter(
    ({ verb, key, type }) =>
      !['get', 'list', 'watch'].includes(verb) &&
      ((type === persistentVolumeType && key.name === 'pv-data') ||
        (type === persistentVolumeClaimType && key.name === 'data')),
  );

describe('a download into a claim that already has a volume', () => {
  it.each(['Delete', 'Retain'] as const)(
    'leaves the volume, of reclaim policy %s, unchanged and writes nothing to it',
    async (policy) => {
      const world = withAgents(existingWorld(policy), 'node-1', 'node-2');
      await untilConcluded(world, theDownload);
      expect(world.download()?.status).toMatchObject({ phase: 'Completed', progress: { bytesDone: 1_000 } });
      expect(written(world)).toEqual([]);
      expectUntouched(world);
    },
  );

  it('that is canceled at any write leaves nothing behind and keeps the data', async () => {
    const ends = new Set<string | undefined>();
    for (let write = 0; write < writesMax; write++) {
      const world = existingWorld();
      let writes = 0;
      world.cluster.intercept(async (call, next) => {
        if (!['get', 'list', 'watch'].includes(call.verb) && writes++ === write)
          world.cluster.change<DataDownload>(
            dataDownloadType,
            { namespace: 'velero', name: 'download' },
            ({ spec }) => {
              spec.cancel = true;
            },
          );
        return await next();
      });
      withAgents(world);
      await untilConcluded(world, theDownload);
      ends.add(world.download()?.status?.phase);
      expectUntouched(world, `write ${write}`);
      await world.stop();
      if (writes <= write) break;
    }
    expect([...ends].sort()).toEqual(['Canceled', 'Completed']);
  });

  it('that fails leaves nothing behind', async () => {
    const world = existingWorld();
    world.cluster.remove(persistentVolumeType, volumeKey);
    withAgents(world);
    await untilConcluded(world, theDownload);
    expect(world.download()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('has no volume to restore into'),
    });
    expect(world.cluster.all(persistentVolumeType)).toEqual([]);
  });

  it.each(['before', 'after'] as const)('completes when the node-agent dies at any write, %s it', async (when) => {
    let deaths = 0;
    for (let write = 0; write < writesMax; write++) {
      const world = existingWorld();
      onTestFinished(() => world.stop());
      world.startAgent('node-1', { atWrite: write, when });
      const isOver = () => world.agentIsDead() || world.download()?.metadata.finalizers?.length === 0;
      await world.until(isOver, 120_000).catch(() => {});
      const died = world.agentIsDead();
      if (died) {
        await world.restartAgent();
        world.react();
      }
      await untilConcluded(world, theDownload, 10 * 60_000);
      expect(world.download()?.status?.phase, `write ${write}`).toBe('Completed');
      expectUntouched(world, `write ${write}`);
      await world.stop();
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(8);
    expect(deaths).toBeLessThan(writesMax);
  });
});
