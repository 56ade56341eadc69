import { annotations, finalizers } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { storedBackup, storedPodVolumeBackup } from './stored-backup.ts';

it('removes cluster-specific fields from a Backup before it is written to the bucket', () => {
  const stored = storedBackup(
    {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: {
        name: 'b',
        annotations: { [annotations.workedOnBy]: 'us/1', [annotations.openHooks]: '[]', theirs: 'kept' },
        finalizers: [finalizers.backupUnderWay, 'theirs/kept'],
      },
      spec: {},
    },
    { phase: 'Finalizing' },
  );
  expect(stored.metadata).toEqual({ name: 'b', annotations: { theirs: 'kept' }, finalizers: ['theirs/kept'] });
});

it('removes cluster-specific fields from a PodVolumeBackup before it is written to the bucket', () => {
  const stored = storedPodVolumeBackup({
    apiVersion: 'velero.io/v1',
    kind: 'PodVolumeBackup',
    metadata: {
      name: 'b-1',
      annotations: { [annotations.hostingPodUid]: 'a-uid', [annotations.pvcName]: 'kept' },
      finalizers: [finalizers.podVolume],
    },
    spec: { node: 'n', pod: { kind: 'Pod' }, volume: 'v', backupStorageLocation: 'l', repoIdentifier: '' },
  });
  expect(stored.metadata).toEqual({ name: 'b-1', annotations: { [annotations.pvcName]: 'kept' } });
});
