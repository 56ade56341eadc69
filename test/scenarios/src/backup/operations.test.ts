import { backupType } from '@lateen/api-types';
import { aBackupStorageLocation, aConfigMap, aNamespace } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type BackupWorld, namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { movingAction } from './moving-action.ts';

const worlds = backupWorlds();

const shop = [
  aNamespace({ name: 'shop' }),
  aConfigMap({ name: 'one', namespace: 'shop', data: { a: '1' } }),
  aConfigMap({ name: 'two', namespace: 'shop', data: { a: '2' } }),
];
const ofShop = { includedNamespaces: ['shop'] };

function moving(options: { watched?: boolean } = {}) {
  let world: BackupWorld | undefined;
  const moves = movingAction(() => {
    if (world === undefined) throw new Error('there is no world yet');
    return world.cluster;
  }, options);
  const made = worlds.empty({ objects: shop, actions: { backup: [moves.action], block: [], delete: [], restore: [] } });
  world = made;
  return { world: made, moves };
}

const body = (world: BackupWorld, name: string) =>
  world.stored.archivedText('b', `resources/configmaps/namespaces/shop/${name}.json`);

describe('a backup with operations', () => {
  it('waits for them with a watch, reads the changed objects again, and is then Completed', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', ofShop);
    const waits = await world.until('b', 'WaitingForPluginOperations');
    expect(waits.status).toMatchObject({ backupItemOperationsAttempted: 2 });
    expect((await world.stored.files.getBackup('b'))?.status?.phase).toBe('WaitingForPluginOperations');
    expect(await body(world, 'one')).not.toContain('moved');
    moves.end('shop', 'one');
    await world.clock.advance(100);
    await world.work();
    expect(world.backup('b')?.status).toMatchObject({ backupItemOperationsCompleted: 1 });
    moves.end('shop', 'two');
    const backup = await world.until('b', 'Completed');
    expect(world.phases('b').slice(3)).toEqual(['WaitingForPluginOperations', 'Finalizing', 'Completed']);
    expect(backup.status).toMatchObject({ backupItemOperationsAttempted: 2, backupItemOperationsCompleted: 2 });
    expect(backup.status).not.toHaveProperty('errors');
    expect(JSON.parse((await body(world, 'one')) ?? '')).toMatchObject({ data: { a: '1', moved: 'yes' } });
    expect(JSON.parse((await body(world, 'two')) ?? '')).toMatchObject({ data: { a: '2', moved: 'yes' } });
    const operations = await world.stored.files.getItemOperations('b');
    expect(operations.map(({ status }) => status.phase)).toEqual(['Completed', 'Completed']);
    expect(moves.watches()).toBe(0);
    expect(moves.asked).toEqual([]);
  });

  it('counts failed operations, lists them in its results, and ends PartiallyFailed', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    moves.end('shop', 'one', 'the disk is gone');
    await world.until('b', 'WaitingForPluginOperationsPartiallyFailed');
    expect(world.backup('b')?.status).toMatchObject({ backupItemOperationsFailed: 1, errors: 1 });
    moves.end('shop', 'two');
    const backup = await world.until('b', 'PartiallyFailed');
    expect(backup.status).toMatchObject({
      errors: 1,
      backupItemOperationsAttempted: 2,
      backupItemOperationsCompleted: 1,
      backupItemOperationsFailed: 1,
    });
    const results = await world.stored.files.getResults('b');
    expect(results.errors.namespaces?.shop).toEqual([
      ' resource: /configmaps name: /one message: /operation move-one of example.dev/move failed error: /the disk is gone',
    ]);
  });

  it('records in the outcome of an object that its operation failed later, and leaves the other outcomes', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    const outcomes = () => Array.fromAsync(world.stored.files.readItemOutcomes('b'));
    const before = await outcomes();
    expect(before.map(({ outcome }) => outcome)).toEqual(before.map(() => 'BackedUp'));
    moves.end('shop', 'one', 'the disk is gone');
    moves.end('shop', 'two');
    await world.until('b', 'PartiallyFailed');
    const failed = { outcome: 'Failed', reason: 'the disk is gone', by: 'example.dev/move' };
    expect(await outcomes()).toEqual(
      before.map((each) => (each.kind === 'ConfigMap' && each.name === 'one' ? { ...each, ...failed } : each)),
    );
    expect(before.map(({ name }) => name)).toContain('one');
  });

  it('writes the outcomes once when no operation failed', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    moves.end('shop', 'one');
    moves.end('shop', 'two');
    await world.until('b', 'Completed');
    const written = world.store.calls.filter(
      ({ operation, key }) => operation === 'write' && key.includes('item-outcomes'),
    );
    expect(written).toHaveLength(1);
  });

  it('polls operations that have no watch every ten seconds', async () => {
    const { world, moves } = moving({ watched: false });
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    await world.clock.advance(30_000);
    expect(moves.asked.length).toBeGreaterThanOrEqual(6);
    expect(moves.asked.length).toBeLessThanOrEqual(10);
    moves.end('shop', 'one');
    moves.end('shop', 'two');
    const before = world.clock.now();
    await world.until('b', 'Completed');
    expect(world.clock.now() - before).toBeLessThanOrEqual(10_000);
  });

  it('cancels an operation after the timeout of the backup, whatever the wall clock says', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', { ...ofShop, itemOperationTimeout: '1h0m0s' });
    await world.until('b', 'WaitingForPluginOperations');
    moves.end('shop', 'one');
    const now = world.clock.now.bind(world.clock);
    world.clock.now = () => now() + 86_400_000;
    await world.clock.advance(3_000_000);
    await world.work();
    expect(world.phase('b')).toBe('WaitingForPluginOperations');
    await world.clock.advance(700_000);
    const backup = await world.until('b', 'PartiallyFailed');
    expect(moves.canceled).toEqual(['move-two']);
    expect(backup.status).toMatchObject({ backupItemOperationsFailed: 1, errors: 1 });
    const results = await world.stored.files.getResults('b');
    expect(JSON.stringify(results.errors)).toContain('Asynchronous action timed out');
  });

  it('continues from the stored state after the controller stopped', async () => {
    const { world, moves } = moving();
    const life = world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    await life.stop();
    moves.end('shop', 'one', 'the disk is gone');
    moves.end('shop', 'two');
    world.start();
    const backup = await world.until('b', 'PartiallyFailed');
    expect(backup.status).toMatchObject({ errors: 1, backupItemOperationsFailed: 1, backupItemOperationsCompleted: 1 });
  });

  it('fails an operation whose action no longer exists', async () => {
    const { world } = moving();
    const life = world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    await life.stop();
    world.start(world.cluster, { actions: { backup: [], block: [] } });
    await world.until('b', 'PartiallyFailed');
    const { errors } = await world.stored.files.getResults('b');
    expect(JSON.stringify(errors)).toContain('there is no action example.dev/move here that knows the operation');
  });

  it('keeps an object that was deleted meanwhile as first stored, and is Completed', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    moves.end('shop', 'one');
    world.cluster.remove(
      { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
      { namespace: 'shop', name: 'two' },
    );
    moves.tell('two', { completed: true });
    await world.until('b', 'Completed');
    expect(JSON.parse((await body(world, 'two')) ?? '')).toMatchObject({ data: { a: '2' } });
  });

  it('leaves nothing when it is cancelled while it waits', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    await world.cluster.patch(
      backupType,
      { namespace, name: 'b' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.until('b', 'Canceled');
    expect(world.stored.fileNames('b')).toEqual([]);
    expect(moves.watches()).toBe(0);
    expect(moves.canceled.sort()).toEqual(['move-one', 'move-two']);
  });

  it('ends PartiallyFailed when its location becomes read-only meanwhile', async () => {
    const { world } = moving();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    world.cluster.put(aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }));
    const backup = await world.until('b', 'PartiallyFailed');
    expect(backup.status?.failureReason).toBe('BackupStorageLocation default has become read-only');
  });

  it('is finalized again when the store was not reachable', async () => {
    const { world, moves } = moving();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'WaitingForPluginOperations');
    world.store.add({ on: 'write', about: 'b.tar.gz', times: 2, fault: { fail: new Error('no route to host') } });
    moves.end('shop', 'one');
    moves.end('shop', 'two');
    const backup = await world.until('b', 'Completed', 'PartiallyFailed');
    expect(backup.status?.phase).toBe('Completed');
    expect(await body(world, 'two')).toContain('moved');
  });
});
