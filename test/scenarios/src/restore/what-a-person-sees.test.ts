import { gunzipSync } from 'node:zlib';
import { type ConfigMap, configMapType, namespaceType, type Restore, restoreType, secretType } from '@lateen/api-types';
import { objectKey } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { builtInActions } from '@lateen/item-actions';
import {
  causesOfRestore,
  followRestore,
  inspectRestore,
  newRestore,
  planRestore,
  restoreNoun,
} from '@lateen/operations/restore';
import { type BringFile, RunProgressMeter, type RunProgressView } from '@lateen/operations/run';
import { restoreItems } from '@lateen/restore';
import { aConfigMap, aNamespace, aSecret, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from '../backup/backup-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';

const worlds = restoreControllerWorlds();
const signal = new AbortController().signal;

async function setUp() {
  const world = await worlds.running({
    engine: { restoreItems },
    restoreActions: builtInActions({ csi: true }).restore,
    objects: [
      aNamespace({ name: 'shop' }),
      aConfigMap({ name: 'settings', namespace: 'shop', data: { colour: 'blue' } }),
      aSecret({ name: 'key', namespace: 'shop', values: { token: 'x' } }),
    ],
  });
  const { cluster, clock } = world;
  const ports = { kube: cluster, clock, random: seededRandom() };
  /** Reads a file directly from the bucket, in place of a signed link. */
  const bringOf =
    (name: string): BringFile =>
    async (kind, use) => {
      const body = world.bucket.objects.get(objectKey({ kind, name }, ''));
      if (body === undefined) throw new AppError('FILE_NOT_FOUND', 'file not found');
      return await use(
        (async function* () {
          yield gunzipSync(body);
        })(),
      );
    };
  const wanted = (name: string, spec: Restore['spec'] = {}) =>
    newRestore({ name, namespace, spec: { backupName: 'nightly', ...spec } });
  /** Creates a restore as the command line does, and collects what a user sees until its end. */
  const watched = async (name: string, spec?: Restore['spec']) => {
    const views: RunProgressView[] = [];
    const meter = new RunProgressMeter(restoreNoun);
    const created = await cluster.create(restoreType, wanted(name, spec));
    const ended = followRestore(
      ports,
      created,
      (sight) => views.push(meter.view(sight, clock.now(), clock.monotonicMs())),
      signal,
    );
    await world.untilRestore(name, 'Completed', 'PartiallyFailed', 'Failed', 'FailedValidation');
    return { views, run: (await ended).run };
  };
  const inspect = async (name: string) => {
    const restore = world.restore(name);
    if (restore === undefined) throw new Error(`there is no restore ${name}`);
    return await inspectRestore(cluster, restore, bringOf(name), { details: true, outcomes: {} }, signal);
  };
  const plan = async (name: string, spec?: Restore['spec']) => {
    const planned = planRestore(
      ports,
      wanted(name, spec),
      (created) => followRestore(ports, created, () => {}, signal),
      async () => bringOf(name),
      signal,
    );
    await world.untilTrue(() => world.restorePhases(name).includes('Completed'));
    const found = await planned;
    await world.untilTrue(() => world.restore(name) === undefined);
    return found;
  };
  return { world, watched, inspect, plan };
}

describe('a user who waits for a restore', () => {
  it('sees its items until the end, and then all its files', async () => {
    const { world, watched, inspect } = await setUp();
    world.cluster.remove(configMapType, { namespace: 'shop', name: 'settings' });
    const { views, run } = await watched('back');
    expect(run.status?.phase).toBe('Completed');
    expect(views.at(-1)?.phase).toBe('Completed');
    expect(views.at(-1)?.items.done).toBe(views.at(-1)?.items.total);
    const inspected = await inspect('back');
    expect(causesOfRestore(inspected)).toEqual([]);
    expect(inspected.resources).toMatchObject({ kind: 'read', value: { 'v1/ConfigMap': ['shop/settings(created)'] } });
    expect(inspected.outcomes).toMatchObject({ kind: 'read', value: { counts: { create: 1 }, more: 0 } });
  });

  it('sees the cause of what failed', async () => {
    const { world, watched, inspect } = await setUp();
    world.cluster.remove(secretType, { namespace: 'shop', name: 'key' });
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'create' && call.type.resource === 'secrets')
        throw new AppError('KUBE_FORBIDDEN', 'exceeded quota: secrets=0');
      return await next();
    });
    const { run } = await watched('back');
    expect(run.status?.phase).toBe('PartiallyFailed');
    expect(causesOfRestore(await inspect('back'))).toEqual([
      { about: 'secrets shop/key', why: expect.stringContaining('exceeded quota: secrets=0') },
    ]);
  });
});

describe('a user who asks for a plan', () => {
  it('sees what would be done with each object, and nothing is written', async () => {
    const { world, plan } = await setUp();
    world.cluster.remove(secretType, { namespace: 'shop', name: 'key' });
    world.cluster.change<ConfigMap>(configMapType, { namespace: 'shop', name: 'settings' }, (it) => {
      it.data = { colour: 'red' };
    });
    const before = world.cluster.everything().filter(({ metadata }) => metadata.namespace === 'shop');
    const { counts, objects } = await plan('plan-1');
    expect(objects.map(({ kind, name, act }) => `${kind} ${name} ${act}`)).toEqual(
      expect.arrayContaining(['Secret key create', 'ConfigMap settings conflict']),
    );
    expect(counts).toMatchObject({ create: 1, conflict: 1 });
    expect(world.cluster.everything().filter(({ metadata }) => metadata.namespace === 'shop')).toEqual(before);
    expect((await plan('plan-2', { existingResourcePolicy: 'update' })).counts).toMatchObject({ create: 1, update: 1 });
  });

  it('sees the same for a namespace that is gone, which is not created for that', async () => {
    const { world, plan } = await setUp();
    for (const type of [configMapType, secretType])
      for (const { metadata } of world.cluster.all(type))
        if (metadata.namespace === 'shop') world.cluster.remove(type, { namespace: 'shop', name: metadata.name ?? '' });
    world.cluster.remove(namespaceType, { name: 'shop' });
    const { objects } = await plan('plan-1');
    expect(objects.map(({ kind, name, act }) => `${kind} ${name} ${act}`).sort()).toEqual([
      'ConfigMap settings create',
      'Namespace shop create',
      'Secret key create',
    ]);
    expect(world.cluster.find(namespaceType, { name: 'shop' })).toBeUndefined();
  });
});
