import { describe, expect, it } from 'vitest';
import { volumeOfSource } from './volume-source.ts';

describe('volumeOfSource', () => {
  it.each([
    ['snapshot-data-upload-download/kopia/shop/data', 'shop', 'data'],
    ['snapshot-data-upload-download/restic/shop/data', 'shop', 'data'],
    ['snapshot-pod-volume/kopia/shop/web-0/data', 'shop', 'data'],
    ['pod-volume-backup-restore/kopia/shop/web-0/data', 'shop', 'data'],
    ['lateen-attributes/shop/data', 'shop', 'data'],
  ])('%s belongs to %s/%s', (path, namespace, persistentVolumeClaim) => {
    expect(volumeOfSource(path)).toEqual({ namespace, persistentVolumeClaim });
  });

  it.each(['/home/me', 'snapshot-data-upload-download/kopia/shop', 'snapshot-data-upload-download/x/shop/data', ''])(
    '%j belongs to no claim',
    (source) => {
      expect(volumeOfSource(source)).toEqual({ namespace: '', persistentVolumeClaim: '', source });
    },
  );
});
