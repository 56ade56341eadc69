import { describe, expect, it } from 'vitest';
import { resticPlace } from '../restic/restic-place.ts';
import { repositoryPrefix } from './repository-names.ts';

const location = { provider: 'fs', name: 'default', bucket: '', prefix: 'p', readOnly: false, path: '/data' } as const;

describe('the prefix of a repository', () => {
  it('contains the engine and the namespace', () => {
    expect(repositoryPrefix('p', 'shop')).toBe('p/kopia/shop/');
    expect(repositoryPrefix('', 'shop')).toBe('kopia/shop/');
    expect(resticPlace(location, 'shop')).toMatchObject({
      identifier: '/data/p/restic/shop',
      prefix: 'p/restic/shop/',
    });
  });

  it.each(['', '.', '..', '../other', 'a/b', '/abs', 'A', 'a.b', 'a b', 'a\n', '-a', 'a'.repeat(64)])(
    'rejects the name %j with both engines',
    (name) => {
      const refusal = {
        code: 'REPOSITORY_INVALID',
        message: `BackupRepository.spec.volumeNamespace ${JSON.stringify(name)} is not the name of a namespace`,
      };
      expect(() => repositoryPrefix('p', name)).toThrow(expect.objectContaining(refusal));
      expect(() => resticPlace(location, name)).toThrow(expect.objectContaining(refusal));
      const elsewhere = { ...location, resticRepoPrefix: '/elsewhere' };
      expect(() => resticPlace(elsewhere, name)).toThrow(expect.objectContaining(refusal));
    },
  );
});
