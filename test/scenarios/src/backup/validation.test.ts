import { aBackupStorageLocation, aConfigMap, aNamespace, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { BackupWorldOptions } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';

const worlds = backupWorlds();

const nodeAgent = aPod({ name: 'node-agent-1', labels: { role: 'node-agent' }, phase: 'Running' });
const policies = (text: string) => aConfigMap({ name: 'policies', namespace: 'velero', data: { policies: text } });
const byPolicies = { resourcePolicy: { kind: 'configmap', name: 'policies' } };

describe('a backup that is not valid', () => {
  it.each<
    [string, Parameters<ReturnType<typeof worlds.running>['create']>[1], BackupWorldOptions, (string | RegExp)[]]
  >([
    ['names a location that is not there', { storageLocation: 'other' }, {}, [/the default other was not found/]],
    ['finds no default', {}, { location: null }, [/the server default default does not exist/]],
    [
      'goes to a read-only location',
      {},
      { location: aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }) },
      ["backup can't be created because backup storage location default is currently in read-only mode"],
    ],
    [
      'goes to a location that is away',
      {},
      { location: aBackupStorageLocation({ phase: 'Unavailable' }) },
      ["backup can't be created because BackupStorageLocation default is in Unavailable status."],
    ],
    [
      'has several faults, all of which it is told',
      {
        storageLocation: 'other',
        includedNamespaces: ['a'],
        excludedNamespaces: ['a'],
        includedResources: ['*', 'pods'],
      },
      {},
      [
        /the default other was not found/,
        "Invalid included/excluded resource lists: includes list must either contain '*' only, or a non-empty list of items",
        'Invalid included/excluded namespace lists: excludes list cannot contain an item in the includes list: a',
      ],
    ],
    [
      'names policies that are not there',
      byPolicies,
      {},
      [/^fail to get ResourcePolicies velero\/policies ConfigMap with error configmaps "policies" not found/],
    ],
    [
      'names policies that nobody can read',
      byPolicies,
      { objects: [policies('version: v1\nvolumePolices: []')] },
      [/^fail to read the ResourcePolicies from ConfigMap velero\/policies with error/],
    ],
    [
      'names policies of another version',
      byPolicies,
      { objects: [policies('version: v2')] },
      [
        /^fail to validate ResourcePolicies in ConfigMap velero\/policies with error incompatible version number v2 with supported version v1/,
      ],
    ],
    [
      'is held to policies of the server that are not there',
      {},
      { settings: { globalVolumePolicies: 'policies' } },
      [/^fail to get ResourcePolicies velero\/policies ConfigMap/],
    ],
    [
      'moves data where no node-agent runs',
      { snapshotMoveData: true },
      {},
      ['snapshot data is to be moved by the built-in data mover, but no node-agent pod is running in namespace velero'],
    ],
    [
      'moves data by default where no node-agent runs',
      {},
      { settings: { defaultSnapshotMoveData: true } },
      [/no node-agent pod is running/],
    ],
  ])('%s', async (_, spec, options, expected) => {
    const world = worlds.running(options);
    await world.create('b', spec);
    const backup = await world.until('b', 'FailedValidation');
    const errors = backup.status?.validationErrors ?? [];
    expect(errors).toEqual(expected.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))));
    expect(backup.status?.startTimestamp).toBeUndefined();
    expect(world.stored.fileNames('b')).toEqual([]);
    const event = world.events('b').find(({ reason }) => reason === 'FailedValidation');
    expect(event).toMatchObject({ type: 'Warning', message: expect.stringContaining(errors[0] ?? '?') });
  });
});

describe('a backup that is valid', () => {
  it.each<[string, Parameters<ReturnType<typeof worlds.running>['create']>[1], BackupWorldOptions]>([
    ['moves data where a node-agent runs', { snapshotMoveData: true }, { objects: [nodeAgent] }],
    ['moves data with another data mover', { snapshotMoveData: true, datamover: 'other' }, {}],
    ['moves no data when it takes no snapshots', { snapshotMoveData: true, snapshotVolumes: false }, {}],
    [
      'goes to the marked location',
      {},
      { location: aBackupStorageLocation({ name: 'main', spec: { default: true } }) },
    ],
    ['goes to a location that was not validated yet', {}, { location: aBackupStorageLocation({ phase: undefined }) }],
  ])('%s', async (_, spec, options) => {
    const world = worlds.running(options);
    await world.create('b', { ...spec, includedNamespaces: ['default'] });
    expect((await world.until('b', 'Completed', 'FailedValidation', 'Failed')).status?.phase).toBe('Completed');
  });

  it('stores the defaults that the server fills in, in the cluster and in the bucket', async () => {
    const hidden = aNamespace({ name: 'hidden', labels: { 'velero.io/exclude-from-backup': 'true' } });
    const world = worlds.running({ objects: [hidden, aConfigMap({ name: 'c', namespace: 'hidden' })] });
    await world.create('b', {});
    const backup = await world.until('b', 'Completed', 'PartiallyFailed');
    const expected = {
      includedNamespaces: ['*'],
      excludedNamespaces: ['hidden'],
      storageLocation: 'default',
      ttl: '720h0m0s',
      excludedClusterScopedResources: ['volumesnapshotcontents.snapshot.storage.k8s.io'],
    };
    expect(backup.spec).toMatchObject(expected);
    expect((await world.stored.files.getBackup('b'))?.spec).toMatchObject(expected);
    expect(backup.metadata.labels).toEqual({ 'velero.io/storage-location': 'default' });
    expect(backup.metadata.annotations).toMatchObject({ 'velero.io/source-cluster-k8s-gitversion': 'v1.34.1' });
    expect((await world.stored.files.getBackup('b'))?.metadata).not.toHaveProperty('finalizers');
    expect(await world.stored.archived('b')).not.toContain('configmaps/hidden/c');
  });
});
