import type { BackupStorageLocation } from '@lateen/api-types';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { secretValuesOf } from './place-of.ts';
import { resolveLocation } from './resolve-location.ts';

const where = 'Secret velero/cloud-credentials key cloud';
const resolve = (spec: Partial<BackupStorageLocation['spec']>, credentials: string | undefined) =>
  resolveLocation(aBackupStorageLocation({ spec }), { credentials, credentialsFrom: where });
const refusal = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

const accountKey = Buffer.from('an account key of Azure').toString('base64');
const principal = 'AZURE_TENANT_ID=tenant-1\nAZURE_CLIENT_ID=client-1\n';
const withSecret = `${principal}AZURE_CLIENT_SECRET=client-secret-1\n`;
const azure = (config: Record<string, string>, credentials: string) =>
  resolve({ provider: 'azure', config: { storageAccount: 'acct', ...config } }, credentials);

describe('an Azure location', () => {
  it('uses the account key and the public cloud by default', () => {
    const text = `# keys\nexport AZURE_STORAGE_ACCOUNT_ACCESS_KEY="${accountKey}"\r\nAZURE_RESOURCE_GROUP=g\n`;
    const config = { resourceGroup: 'g', subscriptionId: 's' };
    const location = resolve(
      {
        provider: 'velero.io/azure',
        config: { storageAccount: 'acct', ...config },
        objectStorage: { bucket: 'box', prefix: '/p/' },
      },
      text,
    );
    expect(location).toEqual({
      provider: 'azure',
      name: 'default',
      bucket: 'box',
      prefix: 'p',
      readOnly: false,
      storageAccount: 'acct',
      storageDomain: 'blob.core.windows.net',
      tls: true,
      credentials: { kind: 'accountKey', accountKey },
    });
    expect(secretValuesOf(location)).toEqual([accountKey]);
  });

  it.each([
    ['AzureUSGovernmentCloud', 'blob.core.usgovcloudapi.net', 'https://login.microsoftonline.us'],
    ['azureusgovernment', 'blob.core.usgovcloudapi.net', 'https://login.microsoftonline.us'],
    ['AzureChinaCloud', 'blob.core.chinacloudapi.cn', 'https://login.chinacloudapi.cn'],
    ['AzurePublicCloud', 'blob.core.windows.net', 'https://login.microsoftonline.com'],
  ])('in %s has the address %s', (cloud, storageDomain, authority) => {
    const location = azure({}, `${withSecret}AZURE_CLOUD_NAME=${cloud}\n`);
    expect(location).toMatchObject({ storageDomain, credentials: { kind: 'clientSecret', authority } });
  });

  it('reads its address from storageAccountURI', () => {
    const config = { storageAccountURI: 'http://acct.blob.test:10000/' };
    const text = `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=${accountKey}`;
    expect(azure(config, text)).toMatchObject({ storageDomain: 'blob.test:10000', tls: false });
  });

  it('reads the key from the variable that the config names', () => {
    const text = `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=bm8=\nMINE=${accountKey}`;
    expect(azure({ storageAccountKeyEnvVar: 'MINE' }, text)).toMatchObject({ credentials: { accountKey } });
  });

  it('prefers the service principal with useAAD, and workload identity without a secret', () => {
    const text = `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=${accountKey}\n`;
    const location = azure({ useAAD: 'true' }, text + withSecret);
    expect(location).toMatchObject({
      credentials: {
        kind: 'clientSecret',
        tenantId: 'tenant-1',
        clientId: 'client-1',
        clientSecret: 'client-secret-1',
      },
    });
    expect(secretValuesOf(location)).toEqual(['client-secret-1']);
    const activeDirectoryAuthorityURI = 'https://login.microsoftonline.us/';
    expect(azure({ useAAD: 'true', activeDirectoryAuthorityURI }, text + principal)).toMatchObject({
      credentials: {
        kind: 'workloadIdentity',
        tokenFile: '/var/run/secrets/azure/tokens/azure-identity-token',
        authority: 'https://login.microsoftonline.us',
      },
    });
  });

  it('names the account whose key a principal should read, as Velero does unless useAAD is true', () => {
    const config = { resourceGroup: 'g', subscriptionId: 's' };
    const account = {
      resourceManager: 'https://management.azure.com',
      subscriptionId: 's',
      resourceGroup: 'g',
      storageAccount: 'acct',
    };
    expect(azure(config, withSecret)).toMatchObject({ credentials: { account } });
    expect(azure({ ...config, useAAD: 'false' }, principal)).toMatchObject({
      credentials: { kind: 'workloadIdentity', account },
    });
    const subscription = azure(
      { resourceGroup: 'g' },
      `${withSecret}AZURE_SUBSCRIPTION_ID=s\nAZURE_CLOUD_NAME=AzureChinaCloud`,
    );
    expect(subscription).toMatchObject({
      credentials: { account: { ...account, resourceManager: 'https://management.chinacloudapi.cn' } },
    });
  });

  it.each<[string, Record<string, string>]>([
    ['useAAD is true', { resourceGroup: 'g', subscriptionId: 's', useAAD: 'True' }],
    ['the resource group is missing', { subscriptionId: 's' }],
    ['the subscription is missing', { resourceGroup: 'g' }],
  ])('names no account when %s', (_, config) => {
    expect(azure(config, withSecret)).toHaveProperty('credentials.clientSecret');
    expect(azure(config, withSecret)).not.toHaveProperty('credentials.account');
  });

  it('accepts an address without a scheme', () => {
    expect(azure({ storageAccountURI: 'acct.blob.core.windows.net' }, withSecret)).toMatchObject({
      storageDomain: 'blob.core.windows.net',
      tls: true,
    });
  });

  it.each<[string, Record<string, string>, string, string, RegExp]>([
    [
      'useAAD that is not a boolean',
      { useAAD: 'yes' },
      withSecret,
      'LOCATION_INVALID',
      /^config.useAAD "yes" is not a boolean$/,
    ],
    ['no account', { storageAccount: '' }, withSecret, 'LOCATION_INVALID', /^config.storageAccount is missing$/],
    ['an invalid account name', { storageAccount: 'a.b' }, withSecret, 'LOCATION_INVALID', /"a.b" is not the name of/],
    [
      'the address of another account',
      { storageAccountURI: 'https://o.b.c' },
      withSecret,
      'LOCATION_INVALID',
      /"acct"/,
    ],
    ['an address with a path', { storageAccountURI: 'https://acct.b/x' }, withSecret, 'LOCATION_INVALID', /"acct"/],
    [
      'an address with another scheme',
      { storageAccountURI: 'ftp://acct.b' },
      withSecret,
      'LOCATION_INVALID',
      /not an http/,
    ],
    ['an empty Secret', {}, '', 'CREDENTIALS_INVALID', /^Secret .* has neither AZURE_STORAGE_ACCOUNT_ACCESS_KEY nor/],
    [
      'useAAD without a principal',
      { useAAD: 'true' },
      `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=${accountKey}`,
      'CREDENTIALS_INVALID',
      /which config.useAAD needs$/,
    ],
    ['an invalid key', {}, 'AZURE_STORAGE_ACCOUNT_ACCESS_KEY=VERY SECRET', 'CREDENTIALS_INVALID', /not base64$/],
    ['an unknown cloud', {}, `${withSecret}AZURE_CLOUD_NAME=Moon`, 'LOCATION_INVALID', /"Moon" is not a cloud/],
  ])('is rejected with %s, and no secret is printed', (_, config, text, code, message) => {
    expect(() => azure(config, text)).toThrow(refusal(code, message));
    expect(() => azure(config, text)).not.toThrow(/VERY SECRET|client-secret-1/);
  });

  it('does not print credentials that are part of storageAccountURI', () => {
    const config = { storageAccountURI: 'https://acct.b/?sig=hunter2' };
    expect(() => azure(config, withSecret)).toThrow(refusal('LOCATION_INVALID', /^(?!.*hunter2).*holds credentials$/));
  });
});

const key = {
  type: 'service_account',
  project_id: 'proj',
  client_email: 'me@proj.test',
  private_key: '-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDDEEEE\n-----END PRIVATE KEY-----\n',
};

describe('a Google location', () => {
  const gcp = (credentials: string | undefined, config: Record<string, string> = {}) =>
    resolve({ provider: 'gcp', config }, credentials);

  it('uses the JSON key unchanged', () => {
    const json = JSON.stringify(key);
    const location = gcp(json, { kmsKeyName: 'projects/p/k' });
    expect(location).toEqual({
      provider: 'gcp',
      name: 'default',
      bucket: 'backups',
      prefix: '',
      readOnly: false,
      kmsKeyName: 'projects/p/k',
      credentials: {
        kind: 'serviceAccount',
        json,
        email: 'me@proj.test',
        privateKey: key.private_key,
        projectId: 'proj',
      },
    });
    expect(secretValuesOf(location)).toContain('AAAABBBBCCCCDDDDEEEE');
  });

  it('uses the identity of the pod when there is no Secret', () => {
    expect(gcp(undefined)).toMatchObject({ credentials: { kind: 'ambient' } });
    const signer = { serviceAccount: 'signer@proj.test' };
    expect(gcp(undefined, signer)).toMatchObject({ credentials: { kind: 'ambient', email: 'signer@proj.test' } });
  });

  it('accepts a workload identity federation', () => {
    const json = '{"type":"external_account","audience":"a"}';
    expect(gcp(json)).toMatchObject({ credentials: { kind: 'externalAccount', json } });
  });

  it.each([
    ['AWS keys', '[default]\naws_access_key_id=VERYSECRET', /is not JSON$/],
    ['JSON that is not an object', '"VERYSECRET"', /is not JSON$/],
    [
      'another kind of key',
      '{"type":"authorized_user","refresh_token":"VERYSECRET"}',
      /"type" is not "service_account"$/,
    ],
    ['a key without an e-mail address', JSON.stringify({ ...key, client_email: '' }), /has no client_email$/],
    ['a key without a private key', JSON.stringify({ ...key, private_key: 'VERYSECRET' }), /has no PEM private_key$/],
  ])('is rejected with %s, which is not printed', (_, text, message) => {
    expect(() => gcp(text)).toThrow(refusal('CREDENTIALS_INVALID', message));
    expect(() => gcp(text)).not.toThrow(/VERYSECRET/);
  });
});

describe('a location in a directory', () => {
  const fs = (fspath: string | undefined, prefix = '') =>
    resolve(
      {
        provider: 'velero.io/fs',
        config: fspath === undefined ? {} : { fspath },
        objectStorage: { bucket: '', prefix },
      },
      undefined,
    );

  it('needs only its path', () => {
    expect(fs('/data//backups/', 'p')).toEqual({
      provider: 'fs',
      name: 'default',
      bucket: '',
      prefix: 'p',
      readOnly: false,
      path: '/data/backups',
    });
  });

  it.each([
    [undefined, /fspath is missing/],
    ['data', /not an absolute path/],
    ['/data/../etc', /not an absolute path/],
    ['/', /cannot be used as the directory for backups/],
  ])('rejects %j', (fspath, message) => {
    expect(() => fs(fspath)).toThrow(refusal('LOCATION_INVALID', message));
  });
});

describe('a prefix', () => {
  it.each(['..', 'a/../b', './a', 'a\nb', 'a\u0000', 'a\u007f'])('rejects %j', (prefix) => {
    const spec = { provider: 'velero.io/fs', config: { fspath: '/d' }, objectStorage: { bucket: 'b', prefix } };
    expect(() => resolve(spec, undefined)).toThrow(refusal('LOCATION_INVALID', /^spec.objectStorage.prefix "/));
  });
});
