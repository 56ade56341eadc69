import { backupType, configMapType, namespaceType } from '@lateen/api-types';
import type { BackupItemAction } from '@lateen/item-actions';
import { kubeError } from '@lateen/kube';
import { aConfigMap, aNamespace, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';

const worlds = backupWorlds();

const shop = [
  aNamespace({ name: 'shop' }),
  aConfigMap({ name: 'one', namespace: 'shop', data: { a: '1' } }),
  aConfigMap({ name: 'two', namespace: 'shop', data: { a: '2' } }),
  aPod({ name: 'web', namespace: 'shop', phase: 'Running' }),
];
const ofShop = { includedNamespaces: ['shop'] };
const ended = ['Completed', 'PartiallyFailed', 'Failed'] as const;

/** Runs `act` on the cluster at the first item, and leaves the item unchanged. */
const meanwhile = (act: () => void): BackupItemAction => {
  let isDone = false;
  return {
    name: 'example.dev/meanwhile',
    appliesTo: {},
    execute: async (item) => {
      if (!isDone) act();
      isDone = true;
      return { item };
    },
  };
};

describe('faults of the cluster', () => {
  it('a namespace that is named and does not exist: the backup is PartiallyFailed, and the error names it', async () => {
    const world = worlds.running({ objects: shop });
    await world.create('b', { includedNamespaces: ['shop', 'gone'] });
    const backup = await world.until('b', ...ended);
    expect(backup.status).toMatchObject({ phase: 'PartiallyFailed', errors: 1 });
    const { errors } = await world.stored.files.getResults('b');
    expect(JSON.stringify(errors)).toContain(
      'fail to get the namespace gone specified in backup.Spec.IncludedNamespaces',
    );
    expect(world.stored.logText('b')).toContain('level=error');
    expect(await world.stored.archived('b')).toContain('configmaps/shop/one');
  });

  it('a namespace that is deleted during the backup: the backup is Completed with what existed', async () => {
    const world = worlds.empty({
      objects: [...shop, aNamespace({ name: 'brief' }), aConfigMap({ name: 'c', namespace: 'brief' })],
      actions: {
        backup: [
          meanwhile(() => {
            world.cluster.remove(configMapType, { namespace: 'brief', name: 'c' });
            world.cluster.remove(namespaceType, { name: 'brief' });
          }),
        ],
        block: [],
        delete: [],
        restore: [],
      },
    });
    world.start();
    await world.create('b', { includedNamespaces: ['shop', 'bri*'] });
    const backup = await world.until('b', ...ended);
    expect(backup.status?.phase).toBe('Completed');
    expect(backup.status).not.toHaveProperty('errors');
  });

  it('a kind that the API server does not list: the backup is PartiallyFailed, and the error names it', async () => {
    const world = worlds.empty({ objects: shop });
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'list' && call.type.resource === 'configmaps' && call.options && 'limit' in call.options)
        throw kubeError('KUBE_UNAVAILABLE', 'the server is currently unable to handle the request');
      return await next();
    });
    world.start();
    await world.create('b', ofShop);
    const backup = await world.until('b', ...ended);
    expect(backup.status?.phase).toBe('PartiallyFailed');
    const { errors } = await world.stored.files.getResults('b');
    expect(JSON.stringify(errors)).toMatch(/configmaps.*unable to handle the request/);
    expect(await world.stored.archived('b')).toContain('pods/shop/web');
  });

  it('an action that fails for one object: the backup is PartiallyFailed, and the error names object and cause', async () => {
    const refuses: BackupItemAction = {
      name: 'example.dev/refuses',
      appliesTo: { includedResources: ['configmaps'] },
      execute: async (item) => {
        if (item.metadata.name === 'two') throw new Error('cannot be converted; password=hunter2');
        return { item };
      },
    };
    const world = worlds.running({ objects: shop, actions: { backup: [refuses], block: [], delete: [], restore: [] } });
    await world.create('b', ofShop);
    const backup = await world.until('b', ...ended);
    expect(backup.status).toMatchObject({ phase: 'PartiallyFailed', errors: 1 });
    const archived = await world.stored.archived('b');
    expect(archived).toContain('configmaps/shop/one');
    expect(archived).not.toContain('configmaps/shop/two');
    const { errors } = await world.stored.files.getResults('b');
    expect(errors.namespaces?.shop?.[0]).toMatch(
      / resource: \/configmaps name: \/two .*error: \/.*cannot be converted/,
    );
    expect(JSON.stringify(errors) + world.stored.logText('b')).not.toContain('hunter2');
  });
});

describe('faults of the store', () => {
  const full = { fail: new Error('the bucket is full') };

  it.each([
    ['the archive', 'write', 'b.tar.gz'],
    ['the list of resources', 'write', 'resource-list'],
    ['the results', 'write', 'results'],
    ['its object', 'put', 'velero-backup.json'],
  ] as const)(
    'a bucket that is full when %s is stored: the backup fails, and only its log is in the bucket',
    async (_, on, about) => {
      const world = worlds.running({
        objects: shop,
        faults: [{ on, about, fault: full }, ...(on === 'write' ? [{ on: 'put' as const, about, fault: full }] : [])],
      });
      await world.create('b', ofShop);
      const backup = await world.until('b', ...ended);
      expect(backup.status?.phase).toBe('Failed');
      expect(backup.status?.failureReason).toContain('the bucket is full');
      expect(world.stored.fileNames('b')).toEqual(['b-logs.gz']);
      expect(world.stored.logText('b')).toContain('the bucket is full');
      expect(world.events('b').find(({ reason }) => reason === 'Failed')).toMatchObject({
        type: 'Warning',
        message: expect.stringContaining('the bucket is full'),
      });
    },
  );

  it('a log that cannot be stored: the backup is Completed', async () => {
    const world = worlds.running({ objects: shop, faults: [{ on: 'write', about: 'logs.gz', fault: full }] });
    await world.create('b', ofShop);
    expect((await world.until('b', ...ended)).status?.phase).toBe('Completed');
    expect(world.log.messages('warn')).toContain('the log of a backup cannot be stored');
  });

  it('a store that does not answer whether the backup exists: the backup fails before anything is written', async () => {
    const world = worlds.running({ objects: shop, faults: [{ on: 'exists', fault: full }] });
    await world.create('b', ofShop);
    const backup = await world.until('b', ...ended);
    expect(backup.status).toMatchObject({
      phase: 'Failed',
      failureReason: 'error checking if backup already exists in object storage: the bucket is full',
    });
    expect(world.stored.fileNames('b')).toEqual([]);
  });

  it('a lost answer after an object was stored: the backup fails and deletes the object', async () => {
    const lost = { loseAnswer: new Error('connection reset') };
    const world = worlds.running({
      objects: shop,
      faults: [{ on: 'put', about: 'velero-backup.json', times: 1, fault: lost }],
    });
    await world.create('b', ofShop);
    expect((await world.until('b', ...ended)).status?.phase).toBe('Failed');
    expect(world.stored.fileNames('b')).toEqual(['b-logs.gz']);
  });
});

describe('faults of the controller and its clock', () => {
  it('an API server that is not reachable at the end: the end is written when it is reachable again', async () => {
    const world = worlds.empty({ objects: shop });
    let refused = 0;
    world.cluster.intercept(async (call, next) => {
      const patch = call.body as { body?: { status?: { phase?: string } } } | undefined;
      if (call.verb === 'patch' && patch?.body?.status?.phase === 'Finalizing' && refused++ < 3)
        throw kubeError('KUBE_UNAVAILABLE', 'connection refused');
      return await next();
    });
    world.start();
    await world.create('b', ofShop);
    const backup = await world.until('b', ...ended);
    expect(refused).toBeGreaterThan(2);
    expect(backup.status?.phase).toBe('Completed');
  });

  it('a lost answer to the write that starts the backup: the controller recognizes its own write and continues', async () => {
    const world = worlds.empty({ objects: shop });
    let lost = 0;
    world.cluster.intercept(async (call, next) => {
      const patch = call.body as { body?: { status?: { phase?: string } } } | undefined;
      const answer = await next();
      if (call.verb === 'patch' && patch?.body?.status?.phase === 'InProgress' && lost++ === 0)
        throw kubeError('KUBE_UNAVAILABLE', 'connection reset');
      return answer;
    });
    world.start();
    await world.create('b', ofShop);
    expect((await world.until('b', ...ended)).status?.phase).toBe('Completed');
    expect(world.phases('b').filter((phase) => phase === 'InProgress')).toHaveLength(1);
  });

  it('a clock that is set back by an hour during a backup: the backup is Completed', async () => {
    const world = worlds.empty({
      objects: shop,
      actions: {
        backup: [
          meanwhile(() => {
            const now = world.clock.now.bind(world.clock);
            world.clock.now = () => now() - 3_600_000;
          }),
        ],
        block: [],
        delete: [],
        restore: [],
      },
    });
    world.start();
    await world.create('b', ofShop);
    expect((await world.until('b', ...ended)).status?.phase).toBe('Completed');
  });

  it('a user who edits the backup while it runs: the edit is kept, and the backup continues', async () => {
    const world = worlds.empty({
      objects: shop,
      actions: {
        backup: [
          meanwhile(() => {
            world.cluster.change(backupType, { namespace, name: 'b' }, ({ metadata }) => {
              metadata.labels = { ...metadata.labels, team: 'blue' };
            });
          }),
        ],
        block: [],
        delete: [],
        restore: [],
      },
    });
    world.start();
    await world.create('b', ofShop);
    const backup = await world.until('b', ...ended);
    expect(backup.status?.phase).toBe('Completed');
    expect(backup.metadata.labels).toMatchObject({ team: 'blue', 'velero.io/storage-location': 'default' });
  });
});
