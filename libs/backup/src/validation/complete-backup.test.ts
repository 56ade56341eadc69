import type { Backup, BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { backupSettingsDefault } from '../backup-settings.ts';
import { completeBackup, type ServerFacts } from './complete-backup.ts';

const volumeSnapshots = 'volumesnapshots.snapshot.storage.k8s.io';
const contents = 'volumesnapshotcontents.snapshot.storage.k8s.io';

function completed(spec: BackupSpec, facts: Partial<ServerFacts> = {}) {
  const backup: Backup = {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { name: 'b', namespace: 'velero' },
    spec,
  };
  return completeBackup(backup, {
    settings: backupSettingsDefault,
    location: 'main',
    snapshotLocations: [],
    labelledNamespaces: [],
    version: { gitVersion: 'v1.34.1', major: '1', minor: '34' },
    nowMs: Date.parse('2030-01-01T00:00:00Z'),
    ...facts,
  });
}

describe('the fields that the server adds to a backup', () => {
  it('are all defaults, the version, and the expiration', () => {
    expect(completed({})).toEqual({
      spec: {
        storageLocation: 'main',
        includedNamespaces: ['*'],
        ttl: '720h0m0s',
        csiSnapshotTimeout: '10m0s',
        itemOperationTimeout: '4h0m0s',
        volumeGroupSnapshotLabelKey: 'velero.io/volume-group',
        defaultVolumesToFsBackup: false,
        excludedNamespaceScopedResources: [volumeSnapshots],
        excludedClusterScopedResources: [contents],
      },
      labels: { 'velero.io/storage-location': 'main' },
      annotations: {
        'velero.io/source-cluster-k8s-gitversion': 'v1.34.1',
        'velero.io/source-cluster-k8s-major-version': '1',
        'velero.io/source-cluster-k8s-minor-version': '34',
        'velero.io/resource-timeout': '10m0s',
      },
      status: { version: 1, formatVersion: '1.1.0', expiration: '2030-01-31T00:00:00Z' },
    });
  });

  it.each<[string, BackupSpec, Partial<BackupSpec>]>([
    ['a given ttl', { ttl: '24h' }, { ttl: '24h' }],
    ['a ttl of zero', { ttl: '0s' }, { ttl: '720h0m0s' }],
    ['given namespaces', { includedNamespaces: ['a'] }, { includedNamespaces: ['a'] }],
    [
      'timeouts',
      { csiSnapshotTimeout: '1m', itemOperationTimeout: '2h' },
      { csiSnapshotTimeout: '1m', itemOperationTimeout: '2h' },
    ],
    ['the deprecated name of an option', { defaultVolumesToRestic: true }, { defaultVolumesToFsBackup: true }],
    [
      'an option against its deprecated name',
      { defaultVolumesToRestic: true, defaultVolumesToFsBackup: false },
      { defaultVolumesToFsBackup: false },
    ],
    [
      'snapshots in the old resource filters',
      { includedResources: ['pods', volumeSnapshots], excludedResources: ['secrets'] },
      { includedResources: ['pods'], excludedResources: ['secrets', volumeSnapshots, contents] },
    ],
    [
      'cluster-scoped resources only',
      { includeClusterResources: false },
      { excludedResources: [volumeSnapshots, contents] },
    ],
    [
      'snapshots in the filters by scope',
      { includedNamespaceScopedResources: [volumeSnapshots, 'pods'], includedClusterScopedResources: [contents] },
      {
        includedNamespaceScopedResources: ['pods'],
        includedClusterScopedResources: [],
        excludedNamespaceScopedResources: [volumeSnapshots],
        excludedClusterScopedResources: [contents],
      },
    ],
    [
      'snapshots that are already excluded',
      { excludedNamespaceScopedResources: [volumeSnapshots] },
      { excludedNamespaceScopedResources: [volumeSnapshots] },
    ],
  ])('respect %s', (_, spec, expected) => {
    expect(completed(spec).spec).toMatchObject(expected);
  });

  it('exclude namespaces by their label, each once', () => {
    const { spec } = completed({ excludedNamespaces: ['a', 'b'] }, { labelledNamespaces: ['b', 'c'] });
    expect(spec.excludedNamespaces).toEqual(['a', 'b', 'c']);
  });

  it('contain the options of the server', () => {
    const settings = {
      ...backupSettingsDefault,
      defaultSnapshotMoveData: true,
      globalVolumePolicies: 'p',
      defaultTtl: '1h',
    };
    const { spec, annotations, status } = completed({}, { settings, snapshotLocations: ['eu'], version: undefined });
    expect(spec).toMatchObject({ snapshotMoveData: true, volumeSnapshotLocations: ['eu'], ttl: '1h' });
    expect(annotations).toEqual({
      'velero.io/resource-timeout': '10m0s',
      'velero.io/global-backup-volume-policy-configmap': 'p',
    });
    expect(status.expiration).toBe('2030-01-01T01:00:00Z');
    expect(completed({ snapshotMoveData: false }, { settings }).spec.snapshotMoveData).toBe(false);
  });
});
