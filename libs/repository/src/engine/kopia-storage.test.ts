import type { AzureLocation, FsLocation, GcpLocation, S3Location } from '@lateen/storage-location';
import { describe, expect, it } from 'vitest';
import { kopiaStorage } from './kopia-storage.ts';
import { providerVariables } from './provider-variables.ts';

const common = { name: 'default', bucket: 'b', prefix: 'p', readOnly: false };
const azure: AzureLocation = {
  ...common,
  provider: 'azure',
  storageAccount: 'acct',
  storageDomain: 'blob.test:10000',
  tls: false,
  credentials: {
    kind: 'clientSecret',
    tenantId: 't',
    clientId: 'c',
    clientSecret: 's',
    authority: 'https://login.test',
  },
};
const gcp: GcpLocation = { ...common, provider: 'gcp', credentials: { kind: 'ambient' } };
const fs: FsLocation = { ...common, provider: 'fs', path: '/data' };

describe('kopiaStorage', () => {
  it("uses kopia's spelling for an Azure service principal", () => {
    expect(kopiaStorage(azure, 'p/kopia/ns/').config).toEqual({
      container: 'b',
      prefix: 'p/kopia/ns/',
      storageAccount: 'acct',
      storageDomain: 'blob.test:10000',
      doNotUseTLS: true,
      TenantID: 't',
      ClientID: 'c',
      ClientSecret: 's',
    });
    const credentials = {
      kind: 'workloadIdentity',
      tenantId: 't',
      clientId: 'c',
      tokenFile: '/f',
      authority: 'a',
    } as const;
    expect(kopiaStorage({ ...azure, credentials }, 'p/').config).toMatchObject({ azureFederatedTokenFile: '/f' });
  });

  it('requests only read access for a read-only location on Google Cloud', () => {
    expect(kopiaStorage(gcp, 'p/')).toEqual({ type: 'gcs', config: { bucket: 'b', prefix: 'p/' } });
    expect(kopiaStorage({ ...gcp, readOnly: true }, 'p/', '/f').config).toEqual({
      bucket: 'b',
      prefix: 'p/',
      credentialsFile: '/f',
      readOnly: true,
    });
  });

  it('is a private directory in kopia’s layout', () => {
    expect(kopiaStorage(fs, 'p/kopia/ns/')).toEqual({
      type: 'filesystem',
      config: { path: '/data/p/kopia/ns', fileMode: 0o600, dirMode: 0o700, dirShards: [1, 3] },
    });
  });
});

describe('the rates of kopia', () => {
  const rates = { uploadBytesPerSecond: 2_000, downloadBytesPerSecond: 1_000 };
  it.each([azure, gcp, fs])('are set in its storage config, in bytes per second: $provider', (location) => {
    const { config } = kopiaStorage(location, 'p/');
    expect(kopiaStorage({ ...location, ...rates }, 'p/').config).toEqual({
      ...config,
      maxUploadSpeedBytesPerSecond: 2_000,
      maxDownloadSpeedBytesPerSecond: 1_000,
    });
    expect(Object.keys(config).filter((key) => key.includes('Speed'))).toEqual([]);
  });
});

const s3: S3Location = {
  ...common,
  provider: 's3',
  region: 'eu-1',
  endpoint: 'h',
  tls: true,
  verifyTls: true,
  pathStyle: false,
  credentials: { roleArn: 'arn:r', webIdentityTokenFile: '/var/run/token' },
};

describe('providerVariables', () => {
  it('lets the engines assume an S3 role themselves, because temporary keys expire before a long upload ends', () => {
    const variables = {
      AWS_ROLE_ARN: 'arn:r',
      AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token',
      AWS_ROLE_SESSION_NAME: 'lateen',
      AWS_REGION: 'eu-1',
    };
    expect(providerVariables(s3, {}, {})).toEqual(variables);
    const keys = { accessKeyId: 'A', secretAccessKey: 'S' };
    expect(providerVariables({ ...s3, credentials: keys }, {}, {})).toEqual({
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'S',
    });
  });

  it('passes the location of the pod’s Google account, but only without a key in the location', () => {
    const own = { GOOGLE_APPLICATION_CREDENTIALS: '/own', GCE_METADATA_HOST: 'h', OTHER: 'x' };
    expect(providerVariables(gcp, {}, own)).toEqual({ GOOGLE_APPLICATION_CREDENTIALS: '/own', GCE_METADATA_HOST: 'h' });
    expect(providerVariables(gcp, { credentialsFile: '/f' }, own)).toEqual({ GOOGLE_APPLICATION_CREDENTIALS: '/f' });
  });

  it('sets the authority host of a service principal, and nothing for a directory', () => {
    expect(providerVariables(azure, { caFile: '/ca' }, {})).toEqual({
      SSL_CERT_FILE: '/ca',
      AZURE_AUTHORITY_HOST: 'https://login.test',
    });
    expect(providerVariables(fs, { caFile: '/ca' }, {})).toEqual({});
  });
});
