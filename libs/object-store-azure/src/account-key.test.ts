import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { listAccountKey } from './account-key.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const forever = new AbortController().signal;
const clientSecret = 'hunter2-secret';
const key = Buffer.from('an account key of Azure').toString('base64');

/** One server for both: tokens of Entra ID, and the resource manager with `listing`. */
async function azure(listing: RequestListener): Promise<{ seen: string[]; list: () => Promise<string | undefined> }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    request.resume();
    if (request.url?.endsWith('/oauth2/v2.0/token')) response.end('{"access_token":"token-1","expires_in":3600}');
    else listing(request, response);
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const principal = { kind: 'clientSecret', tenantId: 't', clientId: 'c', clientSecret, authority: address } as const;
  const account = { resourceManager: address, subscriptionId: 'sub 1', resourceGroup: 'group', storageAccount: 'acct' };
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  return { seen, list: () => listAccountKey(principal, account, { clock, signal: forever }) };
}

const answer =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

describe('the key of a storage account', () => {
  it('is the first with write permission, requested with a token of the principal', async () => {
    const keys = [
      { keyName: 'key1', permissions: 'Read', value: 'cmVhZA==' },
      { keyName: 'key2', permissions: 'Full', value: key },
    ];
    const { seen, list } = await azure(answer(200, { keys }));
    expect(await list()).toBe(key);
    expect(seen).toEqual([
      'POST /t/oauth2/v2.0/token',
      'POST /subscriptions/sub%201/resourceGroups/group/providers/Microsoft.Storage/storageAccounts/acct/listKeys?api-version=2023-05-01 Bearer token-1',
    ]);
  });

  it.each([
    ['a principal that may not list them', 403, { error: { code: 'AuthorizationFailed' } }],
    ['an account with keys that only read', 200, { keys: [{ permissions: 'Read', value: 'cmVhZA==' }] }],
    ['an account without keys', 200, { keys: [] }],
    ['an answer that says nothing of keys', 200, {}],
    ['an answer that is no JSON', 200, '<html>'],
  ])('is not available for %s', async (_, status, body) => {
    const { list } = await azure(answer(status, body));
    expect(await list()).toBeUndefined();
  });

  it.each([
    [
      404,
      { error: { code: 'ResourceGroupNotFound' } },
      'LOCATION_INVALID',
      'storage account "acct" is not found in resource group "group" of subscription "sub 1" (ResourceGroupNotFound)',
    ],
    [
      400,
      { error: { code: 'InvalidSubscriptionId' } },
      'LOCATION_INVALID',
      'storage account "acct" is not found in resource group "group" of subscription "sub 1" (InvalidSubscriptionId)',
    ],
    [
      401,
      { error: { code: 'ExpiredAuthenticationToken' } },
      'OBJECT_STORE_FORBIDDEN',
      'http://here does not accept the token of the principal (ExpiredAuthenticationToken)',
    ],
    [429, 'slow', 'OBJECT_STORE_UNAVAILABLE', "http://here, which is asked for the account's key, answers HTTP 429"],
    [
      200,
      'x'.repeat(100_000),
      'OBJECT_STORE_UNAVAILABLE',
      "http://here, which is asked for the account's key, cannot be reached",
    ],
  ])('reports why it is not available after status %i', async (status, body, code, message) => {
    const { list } = await azure(answer(status, body));
    const error = (await list().catch((reason: unknown) => reason)) as Error;
    expect({ ...error, message: error.message.replace(/http:\S+?:\d+/, 'http://here') }).toMatchObject({
      code,
      message,
    });
    expect(JSON.stringify(error)).not.toContain(clientSecret);
    expect(error).toMatchObject({ nextStep: expect.stringContaining('config.useAAD "true"') });
  });

  it('is not requested from another host after a redirect', async () => {
    const { seen, list } = await azure((request, response) =>
      response.writeHead(307, { location: `http://${request.headers.host}/elsewhere` }).end(),
    );
    await expect(list()).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
    expect(seen.join('\n')).not.toContain('/elsewhere');
  });
});
