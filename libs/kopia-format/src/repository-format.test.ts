import { describe, expect, it } from 'vitest';
import { repositoryFormat } from './repository-format.ts';

const plain = {
  version: 3,
  hash: 'BLAKE2B-256-128',
  encryption: 'AES256-GCM-HMAC-SHA256',
  secret: Buffer.alloc(32, 1).toString('base64'),
  masterKey: Buffer.alloc(32, 2).toString('base64'),
  epochParameters: { Enabled: true },
};

describe('the format of a repository', () => {
  it('is read with and without epochs', () => {
    expect(repositoryFormat(plain)).toMatchObject({ hasEpochs: true, keys: { hash: 'BLAKE2B-256-128' } });
    expect(repositoryFormat({ ...plain, version: 1, epochParameters: { Enabled: false } }).hasEpochs).toBe(false);
    expect(repositoryFormat({ ...plain, ecc: '', requiredFeatures: [{ feature: 'index-v2' }] }).hasEpochs).toBe(true);
  });

  it.each([
    [{ version: 4 }, 'format version 4'],
    [{ version: undefined }, 'format version undefined'],
    [{ hash: 'MD5' }, 'the hash MD5'],
    [{ hash: 'constructor' }, 'the hash constructor'],
    [{ encryption: 'AES128' }, 'the encryption AES128'],
    [{ ecc: 'REED-SOLOMON-CRC32', eccOverheadPercent: 2 }, 'the error correction REED-SOLOMON-CRC32'],
    [{ requiredFeatures: [{ feature: 'new' }] }, 'the feature new'],
    [{ upgradeLock: { ownerID: 'x' } }, 'an upgrade that is under way'],
  ])('with %j is left to the engine, and the error names the reason', (other, what) => {
    expect(() => repositoryFormat({ ...plain, ...other })).toThrow(
      expect.objectContaining({
        code: 'REPOSITORY_FORMAT_UNSUPPORTED',
        message: `the repository uses ${what}, which is not read without the engine`,
      }),
    );
  });
});
