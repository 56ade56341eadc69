import { gunzipSync } from 'node:zlib';
import { type Backup, type BackupPhase, backupType } from '@lateen/api-types';
import { objectKey } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { backupNoun, causesOf, createBackup, followBackup, inspectBackup, newBackup } from '@lateen/operations/backup';
import { type BringFile, RunProgressMeter, type RunProgressView } from '@lateen/operations/run';
import { aConfigMap, aNamespace, aPod, aSecret, seededRandom } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { aBackup, BackupWorld, type BackupWorldOptions, namespace } from './backup-world.ts';

const worlds: BackupWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

const shop = [
  aNamespace({ name: 'shop' }),
  aConfigMap({ name: 'settings', namespace: 'shop', data: { colour: 'green' } }),
  aSecret({ name: 'keys', namespace: 'shop', values: { key: 'value' } }),
  aPod({ name: 'web', namespace: 'shop', phase: 'Running' }),
];

function setUp(options: BackupWorldOptions = {}) {
  const world = new BackupWorld({ objects: shop, ...options });
  worlds.push(world);
  const { cluster, clock } = world;
  const signal = new AbortController().signal;
  /** Creates a backup as the command line does, and collects what a user sees until its end. */
  const watched = async (name: string, spec: Backup['spec']) => {
    const views: RunProgressView[] = [];
    const meter = new RunProgressMeter(backupNoun);
    const created = await createBackup(cluster, newBackup({ name, namespace, spec }), signal);
    const ended = followBackup(
      { kube: cluster, clock, random: seededRandom() },
      created,
      (sight) => views.push(meter.view(sight, clock.now(), clock.monotonicMs())),
      signal,
    );
    return { views, ended };
  };
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
  const inspect = async (name: string) => {
    const backup = cluster.find<Backup>(backupType, { namespace, name });
    if (backup === undefined) throw new Error(`there is no backup ${name}`);
    return await inspectBackup(cluster, backup, bringOf(name), { details: true, outcomes: {} }, signal);
  };
  return { world, watched, inspect };
}

const ends: BackupPhase[] = ['Completed', 'PartiallyFailed', 'Failed', 'FailedValidation', 'Canceled'];
const phasesIn = (views: readonly RunProgressView[]) => [...new Set(views.map(({ phase }) => phase))];

describe('a user who waits for a backup', () => {
  it('sees its phases and items until the end, and then all its files', async () => {
    const { world, watched, inspect } = setUp();
    world.start();
    const { views, ended } = await watched('nightly', { includedNamespaces: ['shop'] });
    await world.until('nightly', ...ends);
    expect((await ended).run.status?.phase).toBe('Completed');
    expect(phasesIn(views).at(-1)).toBe('Completed');
    expect(views.at(-1)?.items).toMatchObject({ done: 4, total: 4 });
    const inspected = await inspect('nightly');
    expect(causesOf(inspected)).toEqual([]);
    expect(inspected.resources).toMatchObject({ kind: 'read', value: { 'v1/Pod': ['shop/web'] } });
    expect(inspected.volumes).toEqual({ kind: 'read', value: [] });
    expect(inspected.outcomes).toMatchObject({ kind: 'read', value: { counts: { BackedUp: 4 } } });
  });

  it('sees how many backups are ahead in the queue', async () => {
    const { world, watched } = setUp({
      objects: [...shop, aBackup('first', { includedNamespaces: ['shop'] }, { phase: 'Queued', queuePosition: 1 })],
      settings: { concurrentBackups: 0 },
    });
    world.start();
    const { views, ended } = await watched('second', { includedNamespaces: ['shop'] });
    await world.cluster.settle();
    expect(views.at(-1)).toMatchObject({ phase: 'Queued', queuePosition: 2, ahead: { running: [], queued: 1 } });
    world.cluster.remove(backupType, { namespace, name: 'second' });
    await expect(ended).rejects.toMatchObject({ code: 'BACKUP_DELETED' });
  });

  it('sees why it is not valid', async () => {
    const { world, watched, inspect } = setUp();
    world.start();
    const { ended } = await watched('bad', { includedNamespaces: ['shop'], excludedNamespaces: ['shop'] });
    await world.until('bad', ...ends);
    expect((await ended).run.status?.phase).toBe('FailedValidation');
    expect(causesOf(await inspect('bad'))).toEqual([
      { about: '', why: expect.stringMatching(/^Invalid included\/excluded namespace lists: /) },
    ]);
  });

  it('sees the cause of what is missing', async () => {
    const { world, watched, inspect } = setUp();
    world.start();
    const { ended } = await watched('part', { includedNamespaces: ['shop', 'nowhere'] });
    await world.until('part', ...ends);
    expect((await ended).run.status?.phase).toBe('PartiallyFailed');
    expect(causesOf(await inspect('part'))).toEqual([
      expect.objectContaining({ why: expect.stringContaining('nowhere') }),
    ]);
  });
});
