import { type Restore, restoreType } from '@lateen/api-types';
import type { RestoreOperation } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { kubeError } from '@lateen/kube';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { RestoreControllerWorld } from './controller-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

const noRoute = { fail: new AppError('STORE_UNREACHABLE', 'no route to host') };
const archive = 'backups/nightly/nightly.tar.gz';

/** Runs a restore of an existing backup after `arrange` has added a fault. */
async function restored(arrange: (world: RestoreControllerWorld) => void) {
  const world = worlds.empty(scriptedEngine());
  await world.backedUp();
  arrange(world);
  world.startRestores();
  await world.createRestore('r');
  const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
  return { world, status };
}

describe('a file of a restore that cannot be uploaded', () => {
  it('is no error when it is the log', async () => {
    const { world, status } = await restored(({ store }) => store.add({ about: '-logs.gz', fault: noRoute }));
    expect(status?.phase).toBe('Completed');
    expect(world.restoreFiles('r')).not.toContain('restore-r-logs.gz');
    expect(world.restoreFiles('r')).toContain('restore-r-results.gz');
  });

  it.each(['resource-list', 'volumeinfo', 'item-outcomes', 'itemoperations'])(
    'is an error of the restore when it is a file for users (%s)',
    async (file) => {
      const { status } = await restored(({ store }) =>
        store.add({ on: 'write', about: `r-${file}`, times: 1, fault: noRoute }),
      );
      expect([status?.phase, status?.errors, status?.failureReason]).toEqual(['PartiallyFailed', 1, undefined]);
    },
  );
});

describe('a location with read-only credentials', () => {
  const keysOnlyRead = ({ store, cluster }: RestoreControllerWorld) => {
    cluster.put(aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }));
    store.add({ on: 'write', fault: { fail: new AppError('STORE_FORBIDDEN', 'access denied') } });
  };

  it('can be restored from, without files of the restore', async () => {
    const { world, status } = await restored(keysOnlyRead);
    expect([status?.phase, status?.errors]).toEqual(['Completed', undefined]);
    expect(world.restoreFiles('r')).toEqual([]);
  });

  it('does not stop operations from being followed', async () => {
    const ends: (() => void)[] = [];
    const world = worlds.empty({
      ...scriptedEngine({ operations: ({ restore }) => [anOperation(restore)] }),
      restoreActions: [
        {
          name: 'example.dev/slow',
          appliesTo: {},
          execute: async ({ item }) => ({ updatedItem: item }),
          watchOperations: (_, onChange, signal) =>
            new Promise((resolve) => {
              ends.push(() => onChange('one', { completed: true }));
              signal.addEventListener('abort', () => resolve());
            }),
        },
      ],
    });
    await world.backedUp();
    keysOnlyRead(world);
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    for (const end of ends) end();
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect([status?.phase, status?.restoreItemOperationsCompleted]).toEqual(['Completed', 1]);
  });
});

const anOperation = ({ metadata: { name = '', uid = '' } }: Restore): RestoreOperation => ({
  spec: {
    restoreName: name,
    restoreUID: uid,
    restoreItemAction: 'example.dev/slow',
    resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'shop', Name: 'data' },
    operationID: 'one',
  },
  status: { phase: 'New', created: '2030-01-01T00:00:00Z' },
});

describe('an archive that', () => {
  it.each<[title: string, arrange: (world: RestoreControllerWorld) => void, why: RegExp]>([
    ['is gone', ({ bucket }) => void bucket.objects.delete(archive), /nightly\.tar\.gz/],
    [
      'is cut',
      ({ bucket }) => void bucket.objects.set(archive, (bucket.objects.get(archive) ?? new Uint8Array()).slice(0, -40)),
      /incomplete|unexpected end|cut/,
    ],
    ['is no archive', ({ bucket }) => void bucket.objects.set(archive, Buffer.from('no')), /gzip|archive/],
    ['cannot be read to its end', ({ store }) => store.add({ on: 'read', about: archive, fault: noRoute }), /no route/],
  ])('%s fails the restore with the reason, which is also in its log', async (_, arrange, why) => {
    const { world, status } = await restored(arrange);
    expect([status?.phase, status?.failureReason]).toEqual(['Failed', expect.stringMatching(why)]);
    expect(world.restoreFiles('r')).toEqual(['restore-r-logs.gz', 'restore-r-results.gz']);
    expect(JSON.stringify(await world.restored.getResults('r'))).toMatch(why);
  });
});

it('a backup without any object is restored with a warning', async () => {
  const world = worlds.empty({ ...scriptedEngine(), objects: [] });
  await world.backedUp();
  world.startRestores();
  await world.createRestore('r');
  const { status } = await world.untilRestore('r', 'Completed');
  expect(status?.warnings).toBe(1);
  expect((await world.restored.getResults('r')).warnings.velero).toEqual([' message: /zero items to be restored']);
});

it('the end of a restore is written when an API server that was not reachable is reachable again', async () => {
  const engine = scriptedEngine();
  engine.hold();
  const world = await worlds.running(engine);
  await world.createRestore('r');
  const end = world.cluster.intercept(async (call, next) => {
    if (call.verb !== 'patch' || call.type.kind !== restoreType.kind) return await next();
    throw kubeError('KUBE_UNAVAILABLE', 'the API server is starting');
  });
  engine.letGo();
  await world.work();
  await world.clock.advance(120_000);
  expect(world.restore('r')?.status?.phase).toBe('InProgress');
  end();
  await world.untilRestore('r', 'Completed');
  expect(engine.runs).toHaveLength(1);
});
