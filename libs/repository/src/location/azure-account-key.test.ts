import { describe, expect, it } from 'vitest';
import { type AccountResource, usableCredentials } from './azure-account-key.ts';
import type { AzureCredentials } from './azure-credentials.ts';

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

describe('usable credentials of Azure', () => {
  it('are the key of the account where a principal gets it', async () => {
    const asked: unknown[] = [];
    const usable = await usableCredentials(
      { ...principal, account },
      async (...given) => {
        asked.push(given);
        return 'a2V5';
      },
      options,
    );
    expect(usable).toEqual({ kind: 'accountKey', accountKey: 'a2V5' });
    expect(asked).toEqual([[principal, account, options]]);
  });

  it('are the principal where it gets none', async () => {
    expect(await usableCredentials({ ...principal, account }, async () => undefined, options)).toEqual(principal);
  });

  it.each<[string, AzureCredentials]>([
    ['a key', { kind: 'accountKey', accountKey: 'a2V5' }],
    ['a principal whose account is not named', principal],
  ])('are what they are for %s', async (_, credentials) => {
    expect(await usableCredentials(credentials, refused, options)).toEqual(credentials);
  });
});
