import type { PodVolumeBackup } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { volumeOfSource } from '../operations/volume-source.ts';
import { podVolumeConfig, podVolumeUploaderType } from './pod-volume-config.ts';
import { podVolumeBackupSource } from './snapshot-source.ts';

const aBackup = (spec: Partial<PodVolumeBackup['spec']> = {}, claim?: string) => ({
  metadata: { name: 'b-1', ...(claim === undefined ? {} : { annotations: { 'velero.io/pvc-name': claim } }) },
  spec: {
    node: 'n',
    pod: { kind: 'Pod', namespace: 'shop', name: 'db-0', uid: 'u' },
    volume: 'data',
    backupStorageLocation: 'default',
    repoIdentifier: '',
    uploaderType: 'kopia' as const,
    tags: { backup: 'b' },
    ...spec,
  },
});

describe('the source of a pod volume', () => {
  it.each([
    ['a claim', aBackup({}, 'data-db-0'), 'snapshot-pod-volume/kopia/shop/db-0/data-db-0', 'data-db-0'],
    ['a volume without a claim', aBackup(), 'snapshot-pod-volume/kopia/shop/db-0/data', 'data'],
    ['restic', aBackup({ uploaderType: 'restic' }), 'snapshot-pod-volume/restic/shop/db-0/data', 'data'],
  ])('of %s has the path where Velero looks for it, without the tags of the object', (_, backup, path, claim) => {
    const source = podVolumeBackupSource(backup);
    expect(source).toEqual({
      path,
      tags: { 'snapshot-requester': 'snapshot-pod-volume', 'snapshot-uploader': path.split('/')[1] },
    });
    expect(volumeOfSource(path)).toEqual({ namespace: 'shop', persistentVolumeClaim: claim });
  });
});

describe('the engine of a pod volume', () => {
  it.each([
    [{}, 'kopia'],
    [{ uploaderType: '' as const, repoIdentifier: '' }, 'kopia'],
    [{ uploaderType: 'kopia' as const }, 'kopia'],
    [{ uploaderType: 'restic' as const, repoIdentifier: '' }, 'restic'],
    [{ uploaderType: '' as const, repoIdentifier: 's3:http://s3/b/restic/shop' }, 'restic'],
  ])('of %j is %s', (spec, type) => {
    expect(podVolumeUploaderType(spec)).toBe(type);
  });

  it('is added to the settings of the object and overrides the same key in them', () => {
    const uploaderSettings = { ParallelFilesUpload: '3', UploaderType: 'restic' };
    expect(podVolumeConfig({ uploaderType: 'kopia', uploaderSettings })).toEqual({
      ParallelFilesUpload: '3',
      UploaderType: 'kopia',
    });
  });

  it('is rejected with its name when it is unknown', () => {
    expect(() => podVolumeUploaderType({ uploaderType: 'rsync' as 'kopia' })).toThrow(
      expect.objectContaining({
        code: 'UPLOADER_TYPE_UNKNOWN',
        message: expect.stringContaining('spec.uploaderType "rsync"'),
      }),
    );
  });
});
