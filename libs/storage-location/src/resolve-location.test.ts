import type { BackupStorageLocation } from '@lateen/api-types';
import { aBackupStorageLocation, testCertificates } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { resolveLocation } from './resolve-location.ts';

const secrets = {
  credentials:
    '[default]\naws_access_key_id=A\naws_secret_access_key=S\n[p2]\naws_access_key_id=B\naws_secret_access_key=T\n',
  credentialsFrom: 'Secret velero/cloud-credentials key cloud',
};
const { ca: pem } = testCertificates();
const resolve = (spec: Partial<BackupStorageLocation['spec']>, caCertRef?: string) =>
  resolveLocation(aBackupStorageLocation({ spec }), { ...secrets, ...(caCertRef === undefined ? {} : { caCertRef }) });

describe('resolveLocation', () => {
  it('reads endpoint and TLS from s3Url, and trims slashes of bucket and prefix', () => {
    const location = resolve({
      config: { region: 'r1', s3Url: 'http://minio.test:9000/' },
      objectStorage: { bucket: '/b/', prefix: '/a/b/' },
    });
    expect(location).toMatchObject({
      name: 'default',
      bucket: 'b',
      prefix: 'a/b',
      region: 'r1',
      endpoint: 'minio.test:9000',
      tls: false,
      verifyTls: true,
      pathStyle: true,
      readOnly: false,
      credentials: { accessKeyId: 'A', secretAccessKey: 'S' },
    });
  });

  it.each([
    [{ region: 'eu-west-1' }, 's3-eu-west-1.amazonaws.com', false],
    [{}, 's3.amazonaws.com', false],
    [{ s3Url: 'https://s3.eu-west-1.amazonaws.com' }, 's3.eu-west-1.amazonaws.com', false],
    [{ s3Url: 'https://store.test', s3ForcePathStyle: 'false' }, 'store.test', false],
    [{ s3Url: 'store.test' }, 'store.test', true],
  ])('config %j gives %s', (config, endpoint, pathStyle) => {
    expect(resolve({ config: config as Record<string, string> })).toMatchObject({ endpoint, tls: true, pathStyle });
  });

  it('honours profile, insecureSkipTLSVerify and accessMode', () => {
    const config = { s3Url: 'https://s', profile: 'p2', insecureSkipTLSVerify: 'true' };
    expect(resolve({ config, accessMode: 'ReadOnly' })).toMatchObject({
      credentials: { accessKeyId: 'B' },
      verifyTls: false,
      readOnly: true,
    });
  });

  it('reads the CA from caCert (base64) or from the Secret', () => {
    expect(resolve({ objectStorage: { bucket: 'b', caCert: Buffer.from(pem).toString('base64') } }).caPem).toBe(pem);
    expect(resolve({}, pem).caPem).toBe(pem);
    expect(resolve({}).caPem).toBeUndefined();
  });

  it('accepts any provider with an s3Url', () => {
    expect(resolve({ provider: 'example.com/minio' }).provider).toBe('s3');
    expect(resolve({ provider: 'velero.io/aws', config: {} }).provider).toBe('s3');
  });

  it.each<[string, Partial<BackupStorageLocation['spec']>, string, RegExp]>([
    ['an unknown provider without s3Url', { provider: 'x/y', config: {} }, 'LOCATION_UNSUPPORTED', /"x\/y"/],
    ['no bucket', { objectStorage: { bucket: '/' } }, 'LOCATION_INVALID', /bucket is empty/],
    ['a bucket with a slash', { objectStorage: { bucket: 'a/b' } }, 'LOCATION_INVALID', /bucket name "a\/b" must not/],
    ['an s3Url with a path', { config: { s3Url: 'https://h/p' } }, 'LOCATION_INVALID', /has a path/],
    [
      'an s3Url of another scheme',
      { config: { s3Url: 'ftp://h' } },
      'LOCATION_INVALID',
      /not an http or https address/,
    ],
    ['an invalid s3Url', { config: { s3Url: 'http://' } }, 'LOCATION_INVALID', /not an http or https address/],
    [
      'a CA that is not PEM',
      { objectStorage: { bucket: 'b', caCert: 'AAAA' } },
      'LOCATION_INVALID',
      /no PEM certificate$/,
    ],
    ['an unknown profile', { config: { s3Url: 'http://s', profile: 'q' } }, 'CREDENTIALS_INVALID', /no profile "q"/],
  ])('rejects %s', (_, spec, code, message) => {
    expect(() => resolve(spec)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it('does not print credentials that are part of s3Url', () => {
    expect(() => resolve({ config: { s3Url: 'https://me:hunter2@h' } })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });

  it('accepts an access point ARN as bucket', () => {
    const bucket = 'arn:aws:s3:eu-west-1:1:accesspoint/x';
    expect(resolve({ objectStorage: { bucket } }).bucket).toBe(bucket);
  });
});
