import { aConfigMap, aNamespace, aPod, aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupWorlds } from './backup-worlds.ts';

const worlds = backupWorlds();

const ofShop = { includedNamespaces: ['shop'] };
const ended = ['Completed', 'PartiallyFailed', 'Failed'] as const;
const shop = [
  aNamespace({ name: 'shop' }),
  aConfigMap({ name: 'one', namespace: 'shop', data: { a: '1' } }),
  aPod({ name: 'web', namespace: 'shop', phase: 'Running' }),
];

describe('a hook that hangs', () => {
  const hooked = (annotations: Record<string, string>) =>
    aPod({
      name: 'db',
      namespace: 'shop',
      phase: 'Running',
      annotations: {
        'pre.hook.backup.velero.io/command': '["freeze"]',
        'post.hook.backup.velero.io/command': '["thaw"]',
        ...annotations,
      },
    });

  it('is ended at its timeout, the post hook runs, and the backup reports the missing pod and the cause', async () => {
    const world = worlds.empty({
      objects: [
        ...shop,
        hooked({ 'pre.hook.backup.velero.io/timeout': '45s', 'pre.hook.backup.velero.io/on-error': 'Fail' }),
      ],
    });
    world.cluster.podExec.play(({ command }) => (command[0] === 'freeze' ? new Promise(() => {}) : 0));
    world.start();
    await world.create('b', ofShop);
    const backup = await world.until('b', ...ended);
    expect(backup.status).toMatchObject({
      phase: 'PartiallyFailed',
      errors: 1,
      hookStatus: { hooksAttempted: 2, hooksFailed: 1 },
    });
    const [freeze, thaw] = world.cluster.podExec.commands;
    expect(freeze?.end).toMatchObject({ atMs: (freeze?.atMs ?? 0) + 45_000 });
    expect([thaw?.command, thaw?.end]).toEqual([['thaw'], expect.objectContaining({ exitCode: 0 })]);
    const { errors } = await world.stored.files.getResults('b');
    expect(errors.namespaces?.shop?.[0]).toMatch(/ resource: \/pods name: \/db .*timed out after 45s/);
    const archived = await world.stored.archived('b');
    expect(archived).toContain('configmaps/shop/one');
    expect(archived).not.toContain('pods/shop/db');
  });
});

describe('an object larger than a page of bytes', () => {
  it('is in the archive in full, and so are its neighbours', async () => {
    const text = 'x'.repeat(6 * 1024 * 1024);
    const large = aConfigMap({ name: 'large', namespace: 'shop', data: { text } });
    const world = worlds.running({ objects: [...shop, large, aSecret({ name: 'after', namespace: 'shop' })] });
    await world.create('b', ofShop);
    expect((await world.until('b', ...ended)).status?.phase).toBe('Completed');
    const stored = await world.stored.archivedText('b', 'resources/configmaps/namespaces/shop/large.json');
    expect((JSON.parse(stored ?? '{}') as { data?: { text?: string } }).data?.text?.length).toBe(text.length);
    expect(await world.stored.archived('b')).toEqual(
      expect.arrayContaining(['configmaps/shop/one', 'secrets/shop/after']),
    );
  });
});

describe('an aggregated API server that hangs', () => {
  const gear = { apiVersion: 'slow.example/v1', kind: 'Gear', metadata: { name: 'x', namespace: 'shop' } };

  it('is waited for up to the call timeout; the rest is backed up, and what is missing is named', async () => {
    const world = worlds.empty({ objects: [...shop, gear] });
    world.cluster.intercept((call, next) => (call.type.group === 'slow.example' ? new Promise(() => {}) : next()));
    world.start();
    const startedMs = world.clock.monotonicMs();
    await world.create('b', ofShop);
    const backup = await world.until('b', ...ended);
    expect(world.clock.monotonicMs() - startedMs).toBeLessThan(600_000);
    expect(backup.status).toMatchObject({ phase: 'PartiallyFailed', errors: 1 });
    const { errors } = await world.stored.files.getResults('b');
    expect(JSON.stringify(errors)).toMatch(/gears\.slow\.example.*did not answer within 3m0s/);
    expect(await world.stored.archived('b')).toEqual(expect.arrayContaining(['configmaps/shop/one', 'pods/shop/web']));
  });
});

describe('a clock that changes while a backup runs', () => {
  const hourMs = 3_600_000;
  const msOf = (time: string | null | undefined) => Date.parse(time ?? '');

  it.each([
    ['back', -hourMs],
    ['forward', 6 * hourMs],
  ])('%s: ends nothing early, and no time is before the start', async (_, jumpMs) => {
    const world = worlds.empty({
      objects: [
        ...shop,
        aPod({
          name: 'db',
          namespace: 'shop',
          phase: 'Running',
          annotations: { 'pre.hook.backup.velero.io/command': '["freeze"]' },
        }),
      ],
    });
    const now = world.clock.now.bind(world.clock);
    // During a command that takes 20 of its 30 seconds.
    world.cluster.podExec.play(async () => {
      world.clock.now = () => now() + jumpMs;
      await world.clock.sleep(20_000);
      return 0;
    });
    world.start();
    await world.create('b', ofShop);
    const { status } = await world.until('b', ...ended);
    expect(status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 1 } });
    const { startTimestamp, completionTimestamp, expiration } = status ?? {};
    expect(msOf(completionTimestamp)).toBeGreaterThanOrEqual(msOf(startTimestamp));
    expect(msOf(expiration)).toBeGreaterThan(msOf(completionTimestamp));
    const info = await world.stored.files.getBackup('b');
    expect(info?.status).toMatchObject({ startTimestamp, completionTimestamp });
  });
});
