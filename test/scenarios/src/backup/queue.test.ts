import { type Backup, backupType, namespaceType } from '@lateen/api-types';
import { aConfigMap, aNamespace, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aBackup, namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { gateAction } from './gate-action.ts';

const worlds = backupWorlds();

const spaces = (...names: string[]) =>
  names.flatMap((name) => [aNamespace({ name }), aConfigMap({ name: 'settings', namespace: name })]);

function gated(options: Parameters<typeof worlds.running>[0] = {}) {
  const gate = gateAction();
  const world = worlds.running({
    objects: spaces('a', 'b', 'c'),
    ...options,
    actions: { backup: [gate.action], block: [], delete: [], restore: [] },
  });
  return { world, gate };
}
const of = (...includedNamespaces: string[]) => ({ includedNamespaces });

describe('the queue of backups', () => {
  it('runs two at a time, and the next when one has ended', async () => {
    const { world, gate } = gated();
    for (const name of ['a', 'b', 'c']) await world.create(name, of(name));
    expect(['a', 'b', 'c'].map((name) => world.phase(name))).toEqual(['InProgress', 'InProgress', 'Queued']);
    expect(world.backup('c')?.status?.queuePosition).toBe(1);
    gate.open();
    for (const name of ['a', 'b', 'c']) await world.until(name, 'Completed');
    expect(world.backup('c')?.status?.queuePosition).toBe(0);
  });

  it('runs a backup of one namespace beside one of the whole cluster, and the other way round', async () => {
    const { world, gate } = gated();
    await world.create('cluster', {});
    await world.create('small', of('a'));
    expect(gate.held()).toEqual(['cluster', 'small']);
  });

  it('lets only one backup at a time freeze a pod', async () => {
    const annotations = {
      'pre.hook.backup.velero.io/command': '["freeze"]',
      'post.hook.backup.velero.io/command': '["thaw"]',
    };
    const pods = ['one', 'two'].map((name) => aPod({ name, namespace: 'a', annotations, phase: 'Running' }));
    const world = worlds.empty({ objects: [...spaces('a'), ...pods] });
    const frozen = new Map<string, number>();
    let most = 0;
    world.cluster.podExec.play(async ({ pod, command }) => {
      const now = (frozen.get(pod.name) ?? 0) + (command[0] === 'freeze' ? 1 : -1);
      frozen.set(pod.name, now);
      most = Math.max(most, now);
      await world.clock.sleep(1_000);
      return 0;
    });
    world.start();
    await world.create('cluster', {});
    await world.create('small', of('a'));
    for (const name of ['cluster', 'small'])
      expect((await world.until(name, 'Completed', 'PartiallyFailed')).status).toMatchObject({
        phase: 'Completed',
        hookStatus: { hooksAttempted: 4 },
      });
    expect(most).toBe(1);
    expect([...frozen.values()]).toEqual([0, 0]);
  });

  it('keeps the order of backups that overlap, and lets others pass them', async () => {
    const { world, gate } = gated();
    await world.create('first', of('a'));
    await world.create('second', of('a', 'b'));
    await world.create('third', of('b'));
    await world.create('other', of('c'));
    expect(gate.held()).toEqual(['first', 'other']);
    gate.open();
    for (const name of ['first', 'second', 'third', 'other']) await world.until(name, 'Completed');
    const started = (name: string) => world.phases(name).indexOf('InProgress');
    expect(['first', 'second', 'third'].map(started)).not.toContain(-1);
    const begun = world.cluster.calls.flatMap(({ body, key }) => {
      const patch = body as { body?: Partial<Backup> } | undefined;
      return patch?.body?.status?.phase === 'InProgress' ? [key.name] : [];
    });
    expect(begun.filter((name) => name !== 'other')).toEqual(['first', 'second', 'third']);
  });

  it('runs 300 backups that were created in the same second', { timeout: 240_000 }, async () => {
    const { world, gate } = gated({ garbageCollection: false });
    gate.open();
    const names = Array.from({ length: 300 }, (_, at) => `nightly-${at}`);
    await Promise.all(
      names.map((name, at) =>
        world.cluster.create(
          backupType,
          aBackup(name, { ...of(['a', 'b', 'c'][at % 3] ?? 'a'), includedResources: ['configmaps'] }),
        ),
      ),
    );
    await world.untilTrue(() => names.every((name) => world.phases(name).at(-1) === 'Completed'));
    expect(new Set(names.map((name) => world.phase(name)))).toEqual(new Set(['Completed']));
  });

  it('does not wait for a namespace that is excluded, was deleted, or never existed', async () => {
    const { world, gate } = gated({ settings: { concurrentBackups: 4 } });
    await world.create('running', of('a'));
    await world.create('without-a', { includedNamespaces: ['a', 'b'], excludedNamespaces: ['a*'] });
    await world.create('of-nothing', of('x*'));
    expect(gate.held()).toEqual(['running', 'without-a']);
    expect(world.phases('of-nothing')).toContain('InProgress');
    await world.create('glob', of('a*', 'c'));
    expect(world.phase('glob')).toBe('Queued');
    world.cluster.remove(namespaceType, { name: 'a' });
    await world.work();
    expect(gate.held()).toContain('glob');
  });

  it('skips backups that are being deleted or cancelled', async () => {
    const { world, gate } = gated({ settings: { concurrentBackups: 1 } });
    await world.create('running', of('a'));
    const waits = ['held', 'gone', 'canceled', 'last'];
    for (const name of waits) await world.create(name, of('b'));
    world.cluster.change(backupType, { namespace, name: 'held' }, ({ metadata }) => {
      metadata.finalizers = ['example.dev/wait'];
    });
    await world.cluster.delete(backupType, { namespace, name: 'held' });
    await world.cluster.delete(backupType, { namespace, name: 'gone' });
    const cancel = { type: 'merge' as const, body: { spec: { cancel: true } } };
    await world.cluster.patch(backupType, { namespace, name: 'canceled' }, cancel);
    gate.open();
    await world.until('last', 'Completed');
    expect(world.phases('held')).toEqual(['Queued']);
    expect(world.phases('canceled')).toEqual(['Queued', 'Canceled']);
    expect(world.backup('canceled')?.status).toMatchObject({
      phase: 'Canceled',
      completionTimestamp: expect.any(String),
    });
    expect(world.stored.fileNames('canceled')).toEqual([]);
  });

  it('starts no backup twice while two controllers run at a handover', async () => {
    const gate = gateAction();
    gate.open();
    const world = worlds.empty({
      objects: spaces('a', 'b', 'c'),
      actions: { backup: [gate.action], block: [], delete: [], restore: [] },
    });
    world.start();
    world.start();
    const names = Array.from({ length: 12 }, (_, at) => `b-${at}`);
    await Promise.all(names.map((name, at) => world.cluster.create(backupType, aBackup(name, of(`ns-${at}`)))));
    for (const name of names) await world.until(name, 'Completed', 'PartiallyFailed', 'Failed');
    for (const name of names)
      expect(
        world.phases(name).filter((phase) => phase === 'InProgress'),
        name,
      ).toHaveLength(1);
  });

  it('starts backups that an earlier controller had marked ReadyToStart or Queued, and no others', async () => {
    const gate = gateAction();
    const world = worlds.empty({
      objects: [
        ...spaces('a', 'b'),
        aBackup('ready', of('a'), { phase: 'ReadyToStart' }),
        aBackup('queued', of('b'), { phase: 'Queued', queuePosition: 4 }),
        aBackup('strange', of('b'), { phase: 'Pondering' as 'New' }),
      ],
      actions: { backup: [gate.action], block: [], delete: [], restore: [] },
    });
    world.start();
    await world.work();
    expect(gate.held()).toEqual(['queued', 'ready']);
    expect(world.phase('strange')).toBe('Pondering');
  });
});
