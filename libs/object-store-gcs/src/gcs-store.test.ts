import { createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectRefusesKeys, expectRefusesOtherRanges, FakeClock } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { GcsLimits, GcsStoreConfig } from './gcs-config.ts';
import { gcsStore } from './gcs-store.ts';

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const token = '{"access_token":"access-token-1","expires_in":3600,"token_type":"Bearer"}';
const tokens: Handler = (_, response) => response.setHeader('content-type', 'application/json').end(token);

async function serverOf(handler: Handler): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A store on a server that answers with `handler`, with tokens from `authority`. */
async function storeOn(
  handler: Handler,
  {
    config = {},
    limits = {},
    authority = tokens,
  }: {
    config?: Partial<GcsStoreConfig>;
    limits?: Partial<GcsLimits>;
    authority?: Handler;
  } = {},
) {
  const [endpoint, tokenUri] = [await serverOf(handler), await serverOf(authority)];
  const email = 'me@proj.test';
  const key = { type: 'service_account', client_email: email, private_key: keys.privateKey, token_uri: tokenUri };
  const store = gcsStore(
    {
      bucket: 'b',
      endpoint,
      credentials: { kind: 'serviceAccount', json: JSON.stringify(key), email, privateKey: keys.privateKey },
      ...config,
    },
    { clock: new FakeClock('2030-01-01T00:00:00Z'), limits },
  );
  closers.unshift(() => store.close());
  return { store, endpoint };
}

const answer =
  (status: number, body = ''): Handler =>
  (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(status).end(body));
  };
const apiError = (status: number, message: string) =>
  answer(status, JSON.stringify({ error: { code: status, message } }));

describe('gcsStore', () => {
  it('sends nothing for a key that all stores reject', async () => {
    const nobody = () => expect.unreachable('nothing is to be asked');
    await expectRefusesKeys((await storeOn(nobody, { authority: nobody })).store);
  });

  it('accepts only the requested part of an object', () =>
    expectRefusesOtherRanges(async (handler) => (await storeOn(handler)).store));

  it('sends a token, and no key', async () => {
    const seen: IncomingMessage[] = [];
    const { store } = await storeOn((request, response) => {
      seen.push(request);
      response.end('body');
    });
    expect(Buffer.from(await store.get('a/b c')).toString()).toBe('body');
    expect(seen[0]?.url).toBe('/storage/v1/b/b/o/a%2Fb%20c?alt=media');
    expect(seen[0]?.headers.authorization).toBe('Bearer access-token-1');
    expect(JSON.stringify(seen[0]?.headers)).not.toContain('PRIVATE KEY');
  });

  it.each<[string, Handler, string, RegExp]>([
    ['no such object', answer(404, 'No such object: b/k'), 'OBJECT_NOT_FOUND', /object "k" is not in bucket "b"/],
    [
      'no such bucket',
      apiError(404, 'The specified bucket does not exist.'),
      'BUCKET_NOT_FOUND',
      /bucket "b" at .* does not exist/,
    ],
    ['a 404 that does not say what', answer(404, 'Not Found'), 'BUCKET_NOT_FOUND', /does not exist/],
    [
      'forbidden',
      apiError(403, 'me@proj.test does not have access'),
      'OBJECT_STORE_FORBIDDEN',
      /me@proj.test does not/,
    ],
    ['too many requests', answer(429), 'OBJECT_STORE_UNAVAILABLE', /HTTP 429/],
    ['a failure', answer(503), 'OBJECT_STORE_UNAVAILABLE', /HTTP 503/],
    ['nonsense', answer(418, 'teapot'), 'OBJECT_STORE_BAD_ANSWER', /HTTP 418: teapot for object "k"/],
    [
      'a connection that is cut',
      (request) => request.socket.destroy(),
      'OBJECT_STORE_UNAVAILABLE',
      /cannot be reached/,
    ],
    [
      'a body that is cut',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setImmediate(() => response.destroy());
      },
      'OBJECT_STORE_UNAVAILABLE',
      /cannot be reached/,
    ],
  ])('get: %s', async (_, handler, code, message) => {
    const { store } = await storeOn(handler);
    await expect(store.get('k')).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('distinguishes a key that Google rejects from an unreachable authority, without the secret', async () => {
    const refusing = await storeOn(answer(200), { authority: answer(400, '{"error":"invalid_grant"}') });
    const refused = await refusing.store.get('k').catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'OBJECT_STORE_FORBIDDEN',
      message: expect.stringContaining('invalid_grant'),
    });
    expect(String(refused)).not.toMatch(/PRIVATE KEY|assertion/);
    const silent = await storeOn(answer(200), { authority: (request) => request.socket.destroy() });
    await expect(silent.store.get('k')).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  });

  it('rejects objects above the size limit, and invalid listings', async () => {
    const { store } = await storeOn(answer(200, 'x'.repeat(11)), { limits: { objectBytesMax: 10 } });
    await expect(store.get('k')).rejects.toMatchObject({ code: 'OBJECT_STORE_BAD_ANSWER' });
    await expect(store.listCommonPrefixes('')).rejects.toMatchObject({
      message: expect.stringContaining('where a listing should be'),
    });
  });

  it('encrypts with the key of the location', async () => {
    const seen: string[] = [];
    const handler: Handler = (request, response) => {
      seen.push(request.url ?? '');
      request.resume();
      request.on('end', () => response.end('{}'));
    };
    const { store } = await storeOn(handler, { config: { kmsKeyName: 'projects/p/k' } });
    await store.put('k', new Uint8Array(3));
    expect(seen).toEqual(['/upload/storage/v1/b/b/o?uploadType=media&name=k&kmsKeyName=projects%2Fp%2Fk']);
  });

  it('signs algorithm, time, scope and request, as Google checks', async () => {
    const { store, endpoint } = await storeOn(answer(200));
    const url = new URL(await store.signedUrl("a/it's b", { ttlMs: 600_000 }));
    expect(url.origin).toBe(endpoint);
    expect(url.pathname).toBe('/b/a/it%27s%20b');
    const query = url.search.slice(1, url.search.indexOf('&X-Goog-Signature='));
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      'X-Goog-Algorithm': 'GOOG4-RSA-SHA256',
      'X-Goog-Credential': 'me@proj.test/20300101/auto/storage/goog4_request',
      'X-Goog-Date': '20300101T000000Z',
      'X-Goog-Expires': '600',
      'X-Goog-SignedHeaders': 'host',
    });
    const canonical = `GET\n${url.pathname}\n${query}\nhost:${url.host}\n\nhost\nUNSIGNED-PAYLOAD`;
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(canonical))).toString('hex');
    const text = `GOOG4-RSA-SHA256\n20300101T000000Z\n20300101/auto/storage/goog4_request\n${digest}`;
    const signature = Buffer.from(url.searchParams.get('X-Goog-Signature') ?? '', 'hex');
    expect(createVerify('RSA-SHA256').update(text).verify(keys.publicKey, signature)).toBe(true);
  });

  it('cannot sign without a known account, or for longer than Google allows', async () => {
    const { store } = await storeOn(answer(200), { config: { credentials: { kind: 'ambient' } } });
    await expect(store.signedUrl('k', { ttlMs: 1_000 })).rejects.toMatchObject({
      code: 'SIGNED_URL_UNSUPPORTED',
      nextStep: expect.stringContaining('config.serviceAccount'),
    });
    const keyed = await storeOn(answer(200));
    await expect(keyed.store.signedUrl('k', { ttlMs: 8 * 86_400_000 })).rejects.toMatchObject({
      code: 'SIGNED_URL_UNSUPPORTED',
    });
  });
});
