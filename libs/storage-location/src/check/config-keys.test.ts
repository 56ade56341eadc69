import { describe, expect, it } from 'vitest';
import { checkConfigKeys } from './config-keys.ts';

const refusal = (provider: string, config: Record<string, string>): unknown => {
  try {
    checkConfigKeys(provider, config);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('keys of spec.config', () => {
  it.each<[string, Record<string, string>]>([
    ['aws', { region: 'r', s3Url: 'u', signatureVersion: '1', resticRepoPrefix: 'p' }],
    ['velero.io/aws', { customerKeyEncryptionSecret: 's/k', enableSharedConfig: 'true' }],
    ['azure', { storageAccount: 'a', blockSizeInBytes: '1', apiVersion: '2020-01-01' }],
    ['gcp', { kmsKeyName: 'k', serviceAccount: 's' }],
    ['velero.io/fs', { fspath: '/backups' }],
    ['aws', {}],
    ['example.com/oss', { network: 'internal', s3Url: 'u' }],
  ])('%s accepts %j', (provider, config) => {
    expect(refusal(provider, config)).toBeUndefined();
  });

  it.each<[string, Record<string, string>, RegExp, RegExp]>([
    [
      'aws',
      { s3url: 'u' },
      /^config has invalid keys \[s3url\]; valid keys are \[region s3Url .*\]$/,
      /^Write s3Url\.$/,
    ],
    [
      'azure',
      { 'storage-account': 'a', region: 'r' },
      /^config has invalid keys \[region storage-account\]; valid keys are \[storageAccount .*\]$/,
      /^Write storageAccount\.$/,
    ],
    [
      'velero.io/gcp',
      { project: 'p' },
      /^config has invalid keys \[project\]; .*\[kmsKeyName serviceAccount\]$/,
      /^Remove/,
    ],
    [
      'fs',
      { a: '', b: '', c: '', d: '' },
      /^config has invalid keys \[a b c \.\.\.\]; valid keys are \[fspath\]$/,
      /^Remove/,
    ],
  ])('%s rejects %j', (provider, config, message, nextStep) => {
    expect(refusal(provider, config)).toMatchObject({
      code: 'LOCATION_INVALID',
      message: expect.stringMatching(message),
      nextStep: expect.stringMatching(nextStep),
    });
  });

  it('are truncated in the message when they are long', () => {
    expect(String(refusal('aws', { ['x'.repeat(4_000)]: '' })).length).toBeLessThan(500);
  });
});
