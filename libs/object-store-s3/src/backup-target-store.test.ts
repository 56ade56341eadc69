import { describeError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { backupTargetConfig } from './backup-target-store.ts';

const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'hidden' };
const place = { bucket: 'backups', region: 'eu-1' };

describe('the bucket of a backup target', () => {
  it('uses the endpoint of the Secret, in path style', () => {
    expect(backupTargetConfig(place, { ...keys, AWS_ENDPOINTS: 'http://10.0.0.1:9000/', AWS_CERT: 'PEM' })).toEqual({
      bucket: 'backups',
      region: 'eu-1',
      endpoint: '10.0.0.1:9000',
      tls: false,
      verifyTls: true,
      pathStyle: true,
      caPem: 'PEM',
      credentials: { accessKeyId: 'key', secretAccessKey: 'hidden' },
    });
  });

  it('uses virtual-host style when the Secret says so, and for Amazon', () => {
    const virtual = { ...keys, AWS_ENDPOINTS: 'https://store.example', VIRTUAL_HOSTED_STYLE: 'true' };
    expect(backupTargetConfig(place, virtual)).toMatchObject({
      endpoint: 'store.example',
      tls: true,
      pathStyle: false,
    });
    expect(backupTargetConfig({ bucket: 'b', region: undefined }, keys)).toMatchObject({
      endpoint: 's3.amazonaws.com',
      tls: true,
      pathStyle: false,
      region: '',
    });
  });

  it.each([
    [{ AWS_SECRET_ACCESS_KEY: 'hidden' }, 'AWS_ACCESS_KEY_ID'],
    [{ ...keys, AWS_SECRET_ACCESS_KEY: ' ' }, 'AWS_SECRET_ACCESS_KEY'],
    [{ ...keys, AWS_ENDPOINTS: 'store.example' }, 'AWS_ENDPOINTS'],
    [{ ...keys, AWS_ENDPOINTS: 'https://user:hidden@store.example' }, 'AWS_ENDPOINTS'],
  ])('is rejected with the name of the invalid value, but not the value itself: %#', (secret, name) => {
    let told: unknown;
    try {
      backupTargetConfig(place, secret);
    } catch (error) {
      told = error;
    }
    expect(told).toMatchObject({ code: 'BACKUP_TARGET_SECRET', message: expect.stringContaining(name) });
    expect(describeError(told)).not.toContain('hidden');
  });
});
