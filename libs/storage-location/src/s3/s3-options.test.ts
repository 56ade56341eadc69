import { describe, expect, it } from 'vitest';
import { s3Options } from './s3-options.ts';

describe('s3Options', () => {
  it('reads the object settings of spec.config and ignores the rest', () => {
    const options = {
      publicUrl: 'https://minio.example:9000',
      kmsKeyId: 'alias/k',
      checksumAlgorithm: '',
      tagging: 'team=a&keep=yes',
    };
    expect(s3Options({ ...options, region: 'r', s3Url: 'http://h' })).toEqual(options);
    expect(s3Options({ serverSideEncryption: 'AES256' })).toEqual({ serverSideEncryption: 'AES256' });
    expect(s3Options({ customerKeyEncryptionFile: '/f' })).toEqual({ customerKeyEncryptionFile: '/f' });
    expect(s3Options({ customerKeyEncryptionSecret: 'keys.a/sse-c_key.1' })).toEqual({});
    expect(s3Options({ publicUrl: '', kmsKeyId: '', tagging: '', serverSideEncryption: '' })).toEqual({});
  });

  it.each<[Record<string, string>, RegExp]>([
    [
      { kmsKeyId: 'k', customerKeyEncryptionFile: '/f' },
      /^you can only use one of: kmsKeyId, customerKeyEncryptionFile/,
    ],
    [
      { kmsKeyId: 'k', customerKeyEncryptionSecret: 's/k' },
      /^you can only use one of: kmsKeyId, customerKeyEncryptionFile, or customerKeyEncryptionSecret$/,
    ],
    [{ customerKeyEncryptionFile: '/f', customerKeyEncryptionSecret: 's/k' }, /^you can only use one of/],
    [{ customerKeyEncryptionSecret: 's' }, /customerKeyEncryptionSecret is not of the form name\/key$/],
    [{ customerKeyEncryptionSecret: 'other/s/k' }, /is not of the form name\/key$/],
    [{ customerKeyEncryptionSecret: 's/' }, /is not of the form name\/key$/],
    [{ customerKeyEncryptionSecret: '../k' }, /is not of the form name\/key$/],
    [{ customerKeyEncryptionSecret: 's/k', serverSideEncryption: 'AES256' }, /cannot be combined with/],
    [{ serverSideEncryption: 'aes' }, /serverSideEncryption "aes" is not known/],
    [{ serverSideEncryption: 'AES256', kmsKeyId: 'k' }, /cannot be combined with/],
    [{ checksumAlgorithm: 'crc32' }, /checksumAlgorithm "crc32" is not known/],
    [{ publicUrl: 'minio' }, /publicUrl "minio" is not an http/],
    [{ publicUrl: 'https://h/p' }, /publicUrl "https:\/\/h\/p" has a path/],
    [{ publicUrl: 'https://me:hunter2@h' }, /^config\.publicUrl holds credentials$/],
    [{ tagging: '=a' }, /tagging is not a list/],
    [{ tagging: 'a=1&a=2' }, /tagging is not a list/],
    [{ tagging: Array.from({ length: 11 }, (_, index) => `t${index}=v`).join('&') }, /tagging is not a list/],
  ])('rejects %j', (config, message) => {
    expect(() => s3Options(config)).toThrow(
      expect.objectContaining({ code: 'LOCATION_INVALID', message: expect.stringMatching(message) }),
    );
  });
});
