import type { FsLocation, GcpLocation } from '@lateen/storage-location';
import { describe, expect, it } from 'vitest';
import { blobNaming } from './blob-naming.ts';

const common = { name: 'default', bucket: 'b', prefix: '', readOnly: false };
const fs: FsLocation = { ...common, provider: 'fs', path: '/data' };
const gcp: GcpLocation = { ...common, provider: 'gcp', credentials: { kind: 'ambient' } };

describe('blobNaming', () => {
  it('joins prefix and name in a bucket, where every object counts', () => {
    const names = blobNaming(gcp, 'kopia/ns/');
    expect(names.keyOf('kopia.repository')).toBe('kopia/ns/kopia.repository');
    expect(names.counts('kopia/ns/.shards')).toBe(true);
  });

  it.each([
    ['kopia/ns/.shards', false],
    ['kopia/ns/kopia.repository.f.tmp.0123456789abcdef', false],
    ['kopia/ns/p/abc/def.f', true],
    ['kopia/ns/holiday.jpg', true],
    ['kopia/ns/x.shards', true],
    ['kopia/ns/notes.tmp.txt', true],
  ])('in a directory, %s counts: %s', (key, counts) => {
    const names = blobNaming(fs, 'kopia/ns/');
    expect(names.counts(key)).toBe(counts);
    expect(names.keyOf('kopia.repository')).toBe('kopia/ns/kopia.repository.f');
  });
});
