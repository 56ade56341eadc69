import type { PodVolumeBackup } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { podVolumeOf, podVolumeOfInfo } from './pod-volume-sections.ts';

/** As Velero records a volume with a link to `../a` and no new data. */
const backup: PodVolumeBackup = {
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: { name: 'b-1' },
  spec: { node: 'n', pod: { kind: 'Pod' }, volume: 'v', backupStorageLocation: 'l', repoIdentifier: '' },
  status: { phase: 'Completed', progress: { totalBytes: 1024, bytesDone: 1024 }, incrementalBytes: -4 },
};
const info = {
  snapshotHandle: 's',
  size: 1024,
  incrementalSize: -4,
  uploaderType: 'kopia',
  volumeName: 'v',
  podName: 'p',
  podNamespace: 'n',
  nodeName: 'n',
  Phase: 'Completed',
};

it('a negative size of new data, which Velero records with links, is shown as nothing new', () => {
  expect([podVolumeOf(backup).facts, podVolumeOfInfo(info).facts]).toEqual([
    ['1 KiB', '0 B new'],
    ['1 KiB', '0 B new'],
  ]);
});
