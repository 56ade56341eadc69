import type { Unstructured } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { usedNames } from './used-names.ts';

const object = (kind: string, spec: object): Unstructured => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x' },
  spec,
});

it('finds names in the known fields of velero.io objects, and in no other fields', () => {
  const objects = [
    object('BackupStorageLocation', {
      credential: { name: 'keys', key: 'k' },
      objectStorage: { caCertRef: { name: 'ca' } },
    }),
    object('BackupStorageLocation', { objectStorage: {} }),
    object('VolumeSnapshotLocation', { credential: { name: 'snapshots' } }),
    object('Backup', { resourcePolicy: { kind: 'configmap', name: 'policy' } }),
    object('Schedule', { template: { resourcePolicy: { name: 'nightly' } } }),
    object('Restore', { resourceModifier: { name: 'modifier' } }),
    object('BackupRepository', { credential: { name: 'not-a-field' } }),
  ];
  expect([...usedNames(objects, [])]).toEqual([
    'Secret keys',
    'Secret ca',
    'Secret snapshots',
    'ConfigMap policy',
    'ConfigMap nightly',
    'ConfigMap modifier',
  ]);
});

it('finds the names in a workload: its ServiceAccount, ConfigMaps in flags, and volumes of its pods', () => {
  const spec = {
    serviceAccountName: 'mine',
    containers: [
      { name: 'c', image: 'i', args: ['--node-agent-configmap=agents', '--log-level=info', '--x-configmap='] },
    ],
    volumes: [
      { name: 'a', secret: { secretName: 'tls' } },
      { name: 'b', configMap: { name: 'ca' } },
      { name: 'c', emptyDir: {} },
    ],
  };
  expect([...usedNames([], [object('Deployment', { template: { spec } })])]).toEqual([
    'ServiceAccount mine',
    'ConfigMap agents',
    'Secret tls',
    'ConfigMap ca',
  ]);
});
