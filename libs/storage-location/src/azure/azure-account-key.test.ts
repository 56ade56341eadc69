import { describe, expect, it } from 'vitest';
import type { AzureLocation } from '../resolved-location.ts';
import { withUsableCredentials } from './azure-account-key.ts';
import type { AccountResource, AzureCredentials } from './azure-credentials.ts';

const options = { signal: new AbortController().signal };
const account: AccountResource = {
  resourceManager: 'https://management.azure.com',
  subscriptionId: 's',
  resourceGroup: 'g',
  storageAccount: 'acct',
};
const principal = {
  kind: 'clientSecret',
  tenantId: 't',
  clientId: 'c',
  clientSecret: 'x',
  authority: 'https://login.test',
} as const;
const refused = async () => {
  throw new Error('nobody is to be asked');
};
const location = (credentials: AzureCredentials, storageDomain = 'blob.core.windows.net'): AzureLocation => ({
  provider: 'azure',
  name: 'default',
  bucket: 'box',
  prefix: '',
  readOnly: false,
  storageAccount: 'acct',
  storageDomain,
  tls: true,
  credentials,
});

describe('usable Azure credentials', () => {
  it('are the account key when a principal may read it', async () => {
    const asked: unknown[] = [];
    const usable = await withUsableCredentials(
      location({ ...principal, account }),
      async (...given) => {
        asked.push(given);
        return 'a2V5';
      },
      options,
    );
    expect(usable).toEqual(location({ kind: 'accountKey', accountKey: 'a2V5' }));
    expect(asked).toEqual([[principal, account, options]]);
  });

  it('are the principal when no account key is available', async () => {
    const usable = await withUsableCredentials(location({ ...principal, account }), async () => undefined, options);
    expect(usable).toEqual(location(principal));
  });

  it.each<[string, AzureCredentials]>([
    ['a key', { kind: 'accountKey', accountKey: 'a2V5' }],
    ['a principal without a named account', principal],
  ])('are unchanged for %s', async (_, credentials) => {
    expect(await withUsableCredentials(location(credentials), refused, options)).toEqual(location(credentials));
  });

  it.each(['blob.core.chinacloudapi.cn', 'blob.core.windows.net:8443', 'z01.blob.storage.azure.net'])(
    'are the principal for %s',
    async (domain) => {
      const at = location(principal, domain);
      expect(await withUsableCredentials(at, refused, options)).toEqual(at);
    },
  );

  it.each([
    'evil.invalid',
    'blob.core.windows.net.evil.invalid',
    'evilcore.windows.net',
    'blob.core.windows.net:8443x',
  ])(
    'a principal is rejected for %s, which would receive its token, but an account key is accepted',
    async (domain) => {
      await expect(withUsableCredentials(location(principal, domain), refused, options)).rejects.toMatchObject({
        code: 'LOCATION_INVALID',
        message: expect.stringContaining('would get the token of the principal'),
      });
      const key = location({ kind: 'accountKey', accountKey: 'a2V5' }, domain);
      expect(await withUsableCredentials(key, refused, options)).toEqual(key);
    },
  );
});
