import { aConfigMap, aNamespace, aPod, aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupWorlds } from './backup-worlds.ts';

const worlds = backupWorlds();

const shop = [
  aNamespace({ name: 'shop' }),
  aConfigMap({ name: 'settings', namespace: 'shop', data: { colour: 'green' } }),
  aSecret({ name: 'keys', namespace: 'shop', values: { key: 'value' } }),
  aPod({ name: 'web', namespace: 'shop', phase: 'Running' }),
  aNamespace({ name: 'blog' }),
  aConfigMap({ name: 'settings', namespace: 'blog', data: { colour: 'red' } }),
];

describe('a backup of a namespace', () => {
  it('goes from New to Completed, and all its files are in the bucket', async () => {
    const world = worlds.running({ objects: shop });
    await world.create('nightly', { includedNamespaces: ['shop'] });
    const backup = await world.until('nightly', 'Completed', 'PartiallyFailed', 'Failed', 'FailedValidation');
    expect(world.phases('nightly')).toEqual(['Queued', 'ReadyToStart', 'InProgress', 'Finalizing', 'Completed']);
    expect(backup.status).toEqual({
      version: 1,
      formatVersion: '1.1.0',
      phase: 'Completed',
      queuePosition: 0,
      expiration: '2030-01-31T00:00:00Z',
      startTimestamp: '2030-01-01T00:00:00Z',
      completionTimestamp: '2030-01-01T00:00:00Z',
      progress: { totalItems: 4, itemsBackedUp: 4 },
    });
    expect(backup.metadata.finalizers ?? []).toEqual([]);
    expect(await world.stored.archived('nightly')).toEqual([
      'configmaps/shop/settings',
      'namespaces/shop',
      'pods/shop/web',
      'secrets/shop/keys',
    ]);
    expect(world.stored.fileNames('nightly')).toEqual([
      'nightly-item-outcomes.json.gz',
      'nightly-itemoperations.json.gz',
      'nightly-logs.gz',
      'nightly-podvolumebackups.json.gz',
      'nightly-resource-list.json.gz',
      'nightly-results.gz',
      'nightly-volumeinfo.json.gz',
      'nightly-volumesnapshots.json.gz',
      'nightly.tar.gz',
      'velero-backup.json',
    ]);
    const stored = await world.stored.files.getBackup('nightly');
    expect(stored?.status).toMatchObject({ phase: 'Completed', progress: { totalItems: 4, itemsBackedUp: 4 } });
    expect(stored?.metadata.uid).toBe(backup.metadata.uid);
    expect(world.stored.logText('nightly')).toMatch(
      /^time="2030-01-01T00:00:00.000Z" level=info .*backup=velero\/nightly/,
    );
    expect(
      world
        .events('nightly')
        .map(({ reason }) => reason)
        .sort(),
    ).toEqual([...world.phases('nightly')].sort());
  });
});
