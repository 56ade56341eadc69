import { labels, type Pod, podType, type RestoreHooks, type Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { aPod, letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

const hooks: RestoreHooks = { resources: [{ name: 'warm', postHooks: [{ exec: { command: ['warm'] } }] }] };
const key = { namespace: 'shop', name: 'db-0' };
const pod = (): Pod => aPod({ ...key, uid: 'p-1', labels: { [labels.restoreName]: 'back' } });

/** Restores one pod whose container does not run yet. */
const engineWithPod = () =>
  scriptedEngine({
    during: async ({ kube, podHooks }) => {
      const created = await kube.create(podType, pod());
      podHooks.podCreated(created as unknown as Unstructured);
    },
  });

async function begun(engine = engineWithPod()) {
  const world = await worlds.running({ engine: engine.engine });
  await world.createRestore('back', { backupName: 'nightly', hooks });
  await world.untilRestore('back', 'Finalizing');
  return world;
}

describe('exec hooks of a restore', () => {
  it('keep the restore in Finalizing until they have run, and are counted', async () => {
    const world = await begun();
    expect(world.cluster.podExec.commands).toEqual([]);
    world.cluster.setPodPhase(key, 'Running');
    const restore = await world.untilRestore('back', 'Completed');
    expect(world.cluster.podExec.lines).toEqual(['shop/db-0/main: warm']);
    expect(restore.status).toMatchObject({ hookStatus: { hooksAttempted: 1, hooksFailed: 0 } });
    expect(restore.status?.errors).toBeUndefined();
  });

  it('that fail make the restore PartiallyFailed, with the error in its results under the namespace of the pod', async () => {
    const world = await begun();
    world.cluster.podExec.play(({ write }) => {
      write('no such table');
      return 3;
    });
    world.cluster.setPodPhase(key, 'Running');
    const restore = await world.untilRestore('back', 'PartiallyFailed');
    expect(restore.status).toMatchObject({ errors: 1, hookStatus: { hooksAttempted: 1, hooksFailed: 1 } });
    const { errors } = await world.restored.getResults('back');
    expect(errors.namespaces?.shop).toEqual([
      expect.stringMatching(
        /resource: \/pods name: \/db-0 .*hook warm in container main failed to execute, err: .*no such table/,
      ),
    ]);
  });

  it('are waited for up to the resource timeout', async () => {
    const world = await begun();
    const sinceMs = world.clock.now();
    const restore = await world.untilRestore('back', 'PartiallyFailed');
    expect(world.clock.now() - sinceMs).toBeGreaterThanOrEqual(600_000);
    expect(restore.status).toMatchObject({ errors: 1 });
    const { errors } = await world.restored.getResults('back');
    expect(errors.namespaces?.shop?.join()).toContain('in pod shop/db-0 not executed: ');
    expect(world.cluster.podExec.commands).toEqual([]);
  });

  it('are aborted when the restore is cancelled', async () => {
    const world = await begun();
    world.change('back', (restore) => Object.assign(restore.spec, { cancel: true }));
    const sinceMs = world.clock.now();
    await world.untilRestore('back', 'Canceled');
    expect(world.clock.now() - sinceMs).toBeLessThan(600_000);
    world.cluster.setPodPhase(key, 'Running');
    await letWorkRun();
    expect(world.cluster.podExec.commands).toEqual([]);
  });

  it('are run by the next controller when the first one is gone', async () => {
    const { engine } = engineWithPod();
    const world = worlds.empty({ engine });
    await world.backedUp();
    const first = world.startRestores();
    await world.createRestore('back', { backupName: 'nightly', hooks });
    await world.untilRestore('back', 'Finalizing');
    await first.stop();
    world.cluster.setPodPhase(key, 'Running');
    await letWorkRun();
    expect(world.cluster.podExec.commands).toEqual([]);
    world.startRestores();
    await world.untilRestore('back', 'Completed');
    expect(world.cluster.podExec.lines).toEqual(['shop/db-0/main: warm']);
  });

  it('run once although finalizing is repeated', async () => {
    const world = await worlds.running({ engine: engineWithPod().engine });
    let failures = 0;
    world.cluster.intercept(async ({ verb, type }, next) => {
      if (verb !== 'list' || type.kind !== 'VolumeGroupSnapshotContent' || failures === 3) return await next();
      failures += 1;
      throw new AppError('KUBE_UNAVAILABLE', 'injected', { retry: 'soon' });
    });
    await world.createRestore('back', { backupName: 'nightly', hooks });
    world.cluster.setPodPhase(key, 'Running');
    const restore = await world.untilRestore('back', 'Completed');
    expect(failures).toBe(3);
    expect(world.cluster.podExec.lines).toEqual(['shop/db-0/main: warm']);
    expect(restore.status).toMatchObject({ hookStatus: { hooksAttempted: 1, hooksFailed: 0 } });
  });
});
