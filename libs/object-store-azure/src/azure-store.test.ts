import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectRefusesKeys, expectRefusesOtherRanges, FakeClock } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { AzureStoreConfig } from './azure-config.ts';
import { AzureRefusal, azureError } from './azure-error.ts';
import { azureStore } from './azure-store.ts';
import { principalTokens } from './azure-token.ts';

const accountKey = Buffer.from('an account key of Azure').toString('base64');
const config: AzureStoreConfig = {
  bucket: 'box',
  storageAccount: 'acct',
  storageDomain: 'blob.core.windows.net',
  tls: true,
  credentials: { kind: 'accountKey', accountKey },
};
const clock = () => new FakeClock('2030-01-01T00:00:00Z');
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serverOf(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('azureError', () => {
  const refusal = (status: number, code: string, more: Partial<AzureRefusal['refusal']> = {}) =>
    new AzureRefusal({
      status,
      code,
      message: 'words',
      isHtml: false,
      wantsTls: false,
      redirect: undefined,
      clockSkewMs: undefined,
      detail: '',
      ...more,
    });
  it.each<[unknown, string, string, RegExp]>([
    [refusal(404, 'BlobNotFound'), 'object "k"', 'OBJECT_NOT_FOUND', /object "k" is not in container "box"/],
    [refusal(404, 'ContainerNotFound'), 'object "k"', 'BUCKET_NOT_FOUND', /container "box" .* does not exist/],
    [refusal(404, ''), '', 'BUCKET_NOT_FOUND', /does not exist/],
    [refusal(403, 'AuthenticationFailed'), '', 'OBJECT_STORE_FORBIDDEN', /\(AuthenticationFailed: words\)$/],
    [refusal(503, 'ServerBusy'), '', 'OBJECT_STORE_UNAVAILABLE', /answers ServerBusy: words$/],
    [refusal(409, 'BlobArchived'), 'object "k"', 'OBJECT_STORE_BAD_ANSWER', /HTTP 409 .* for object "k"/],
    [
      Object.assign(new Error('x'), { code: 'REQUEST_SEND_ERROR', cause: { code: 'ENOTFOUND' } }),
      '',
      'OBJECT_STORE_UNAVAILABLE',
      /https:\/\/acct.blob.core.windows.net cannot be reached/,
    ],
  ])('maps %o to %s: %s', (cause, subject, code, message) => {
    expect(azureError(cause, subject, config)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('names the missing role', () => {
    const error = azureError(refusal(403, 'AuthorizationPermissionMismatch'), 'object "k"', config);
    expect(error.nextStep).toContain('Storage Blob Data Contributor');
  });
});

describe('azureStore', () => {
  const box = async (handler: (request: IncomingMessage, response: ServerResponse) => void) => {
    const { port } = new URL(await serverOf(handler));
    const lookup = ((_: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) =>
      options.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never;
    const store = azureStore({ ...config, storageDomain: `blob.test:${port}`, tls: false }, { clock: clock(), lookup });
    closers.unshift(() => store.close());
    return store;
  };
  const refusing = (status: number, headers: Record<string, string>) =>
    box((request, response) => request.resume().on('end', () => response.writeHead(status, headers).end()));

  it('sends nothing for a key that all stores reject', async () => {
    await expectRefusesKeys(await box(() => expect.unreachable('nothing is to be asked')));
  });

  it('accepts only the requested part of a blob', () => expectRefusesOtherRanges(box));

  it('reads the error code of a response without a body', async () => {
    const store = await refusing(403, { 'x-ms-error-code': 'AuthorizationPermissionMismatch' });
    await expect(store.exists('k')).rejects.toMatchObject({
      message: expect.stringContaining('(AuthorizationPermissionMismatch)'),
    });
  });

  it('follows markers, and keeps names unchanged', async () => {
    const markers: (string | null)[] = [];
    const store = await box((request, response) => {
      const marker = new URL(request.url ?? '', 'http://x').searchParams.get('marker');
      markers.push(marker);
      const next = marker === null ? '<NextMarker>m 1</NextMarker>' : '<NextMarker/>';
      const blobs = `<BlobPrefix><Name>p/${marker === null ? 'a&amp;b' : 'c'}/</Name></BlobPrefix>`;
      response.end(
        `\ufeff<?xml version="1.0"?><EnumerationResults><Blobs>${blobs}</Blobs>${next}</EnumerationResults>`,
      );
    });
    expect(await store.listCommonPrefixes('p/')).toEqual(['a&b', 'c']);
    expect(markers).toEqual([null, 'm 1']);
  });

  it('resumes a broken download', async () => {
    const ranges: (string | undefined)[] = [];
    const store = await box((request, response) => {
      const range = request.headers['x-ms-range'] ?? request.headers.range;
      ranges.push(range as string | undefined);
      const from = Number(/bytes=(\d+)-/.exec(String(range))?.[1] ?? 0);
      const headers = { etag: '"1"', 'content-length': String(10 - from) };
      response.writeHead(from === 0 ? 200 : 206, headers).write('0123456789'.slice(from, from === 0 ? 4 : 10));
      if (from === 0) setImmediate(() => response.destroy());
      else response.end();
    });
    expect(Buffer.from(await store.get('k')).toString()).toBe('0123456789');
    expect(ranges).toHaveLength(2);
  });
});

describe('signedUrl of azureStore', () => {
  it('is a shared access signature for reading one blob, without the key', async () => {
    const store = azureStore(config, { clock: clock() });
    const url = new URL(await store.signedUrl('a/b c', { ttlMs: 600_000 }));
    expect(`${url.origin}${url.pathname}`).toBe('https://acct.blob.core.windows.net/box/a/b%20c');
    const { sr, sp, spr, st, se, sig } = Object.fromEntries(url.searchParams);
    expect({ sr, sp, spr, st, se }).toEqual({
      sr: 'b',
      sp: 'r',
      spr: 'https',
      st: '2029-12-31T23:55:00Z',
      se: '2030-01-01T00:10:00Z',
    });
    expect(sig).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(String(url)).not.toContain(accountKey);
    await store.close();
  });

  it('is rejected for longer than Azure allows', async () => {
    const store = azureStore(config, { clock: clock() });
    const asked = store.signedUrl('k', { ttlMs: 8 * 86_400_000 });
    await expect(asked).rejects.toMatchObject({ code: 'SIGNED_URL_UNSUPPORTED' });
    await store.close();
  });
});

describe('principalTokens', () => {
  const principal = {
    kind: 'clientSecret',
    tenantId: 'tenant-1',
    clientId: 'client-1',
    clientSecret: 'hunter2-secret',
  } as const;

  it('requests a token from the authority of the tenant, with its expiration', async () => {
    const bodies: string[] = [];
    const authority = await serverOf((request, response) => {
      expect(request.url).toBe('/tenant-1/oauth2/v2.0/token');
      request.setEncoding('utf8').on('data', (text) => bodies.push(text));
      request.on('end', () => response.end('{"access_token":"t","expires_in":3600}'));
    });
    const fake = clock();
    const source = principalTokens({ ...principal, authority }, { clock: fake });
    expect(await source.getToken('https://storage.azure.com/.default')).toEqual({
      token: 't',
      expiresOnTimestamp: fake.now() + 3_600_000,
    });
    expect(Object.fromEntries(new URLSearchParams(bodies.join('')))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 'hunter2-secret',
      scope: 'https://storage.azure.com/.default',
    });
  });

  it.each([
    ['a wrong secret', 401, 'OBJECT_STORE_FORBIDDEN', /refuses access \(invalid_client: \*\*\* is wrong\)/],
    ['a failure', 503, 'OBJECT_STORE_UNAVAILABLE', /the token service at .* answers invalid_client/],
  ])('reports %s, without the secret', async (_, status, code, message) => {
    const body = '{"error":"invalid_client","error_description":"hunter2-secret is wrong"}';
    const authority = await serverOf((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(status).end(body));
    });
    const error = await principalTokens({ ...principal, authority }, { clock: clock() })
      .getToken('s')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(String(error)).not.toContain('hunter2-secret');
  });

  it('names a missing workload identity token file', async () => {
    const workload = { kind: 'workloadIdentity', tenantId: 't', clientId: 'c', tokenFile: '/none/token' } as const;
    await expect(
      principalTokens({ ...workload, authority: 'http://h' }, { clock: clock() }).getToken('s'),
    ).rejects.toMatchObject({
      code: 'OBJECT_STORE_FORBIDDEN',
      nextStep: expect.stringContaining('azure.workload.identity/use'),
    });
  });
});
