import { configMapType, namespaceType, secretType } from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import { restoreItems } from '@lateen/restore';
import { aConfigMap, aNamespace, aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

describe('a restore', () => {
  it('passes from New to Completed, and stores its files', async () => {
    const { engine, runs } = scriptedEngine();
    const world = await worlds.running({ engine });
    await world.createRestore('back', { backupName: 'nightly' });
    const restore = await world.untilRestore('back', 'Completed');
    expect(world.restorePhases('back')).toEqual(['InProgress', 'Finalizing', 'Completed']);
    expect(runs).toEqual([
      { restore: 'back', dryRun: false, items: expect.arrayContaining(['configmaps/shop/settings']) },
    ]);
    expect(world.restoreFiles('back')).toEqual([
      'back-volumeinfo.json.gz',
      'restore-back-item-outcomes.json.gz',
      'restore-back-itemoperations.json.gz',
      'restore-back-logs.gz',
      'restore-back-resource-list.json.gz',
      'restore-back-results.gz',
    ]);
    expect((await world.restored.getResourceList('back'))['v1/ConfigMap']).toEqual(['shop/settings(created)']);
    expect(restore.spec).toMatchObject({ backupName: 'nightly', itemOperationTimeout: '4h0m0s' });
    expect(restore.spec.excludedResources).toContain('nodes');
    expect(restore.metadata.finalizers).toEqual(['restores.velero.io/external-resources-finalizer']);
    expect(restore.status?.progress).toEqual({
      totalItems: runs[0]?.items.length,
      itemsRestored: runs[0]?.items.length,
    });
    const reasons = world.restoreEvents('back').map(({ reason }) => reason);
    expect(reasons.sort()).toEqual(['Completed', 'Finalizing', 'InProgress']);
  });

  it('that logs an error is PartiallyFailed, with the error in its results', async () => {
    const { engine } = scriptedEngine({
      during: ({ log }) => log.error({ resource: 'pods', namespace: 'shop', name: 'web', reason: 'why' }, 'cannot'),
    });
    const world = await worlds.running({ engine });
    await world.createRestore('back');
    const restore = await world.untilRestore('back', 'PartiallyFailed');
    expect(world.restorePhases('back')).toEqual(['InProgress', 'FinalizingPartiallyFailed', 'PartiallyFailed']);
    expect(restore.status).toMatchObject({ errors: 1 });
    expect((await world.restored.getResults('back')).errors.namespaces).toEqual({
      shop: [' resource: /pods name: /web message: /cannot error: /why'],
    });
  });

  it('that cannot run at all is Failed with the reason, and has its log', async () => {
    const { engine } = scriptedEngine({
      during: () => {
        throw new Error('the engine stands still');
      },
    });
    const world = await worlds.running({ engine });
    await world.createRestore('back');
    const restore = await world.untilRestore('back', 'Failed');
    expect(restore.status).toMatchObject({ failureReason: 'the engine stands still', errors: 1 });
    expect(world.restoreFiles('back')).toEqual(['restore-back-logs.gz', 'restore-back-results.gz']);
  });

  it('that is a dry run stores a plan and nothing else', async () => {
    const { engine, runs } = scriptedEngine({ act: () => ({ act: 'conflict', reason: 'it is there' }) });
    const world = await worlds.running({ engine });
    await world.createRestore('plan', { backupName: 'nightly', dryRun: true });
    await world.untilRestore('plan', 'Completed');
    expect(world.restorePhases('plan')).toEqual(['InProgress', 'Completed']);
    expect(runs[0]?.dryRun).toBe(true);
    expect(world.restoreFiles('plan')).toEqual([
      'restore-plan-logs.gz',
      'restore-plan-plan.json.gz',
      'restore-plan-results.gz',
    ]);
  });
});

it('creates a namespace again that is gone', async () => {
  const world = await worlds.running({
    engine: { restoreItems },
    restoreActions: builtInActions({ csi: true }).restore,
    objects: [
      aNamespace({ name: 'shop', labels: { team: 'sales' } }),
      aConfigMap({ name: 'settings', namespace: 'shop', data: { colour: 'blue' } }),
      aSecret({ name: 'key', namespace: 'shop', values: { token: 'x' } }),
    ],
  });
  world.cluster.remove(configMapType, { namespace: 'shop', name: 'settings' });
  world.cluster.remove(secretType, { namespace: 'shop', name: 'key' });
  world.cluster.remove(namespaceType, { name: 'shop' });
  await world.createRestore('back');
  const { status } = await world.untilRestore('back', 'Completed', 'PartiallyFailed', 'Failed');
  expect([status?.phase, await world.restored.getResults('back')]).toEqual(['Completed', { errors: {}, warnings: {} }]);
  expect(world.cluster.find(namespaceType, { name: 'shop' })?.metadata.labels).toMatchObject({ team: 'sales' });
  expect(world.cluster.find(configMapType, { namespace: 'shop', name: 'settings' })).toMatchObject({
    metadata: { labels: { 'velero.io/backup-name': 'nightly', 'velero.io/restore-name': 'back' } },
    data: { colour: 'blue' },
  });
  expect(await world.restored.getResourceList('back')).toMatchObject({ 'v1/Secret': ['shop/key(created)'] });
});
