import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { S3Limits, S3StoreConfig } from './s3-config.ts';
import { urlOf } from './s3-config.ts';
import { type S3Store, s3Store } from './s3-store.ts';

const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret-value-1' };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A store on a server that answers as `handler` says. */
async function storeOn(
  handler: Handler,
  more: Partial<S3StoreConfig> = {},
  limits: Partial<S3Limits> = {},
): Promise<S3Store> {
  const server = createServer(handler);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const store = s3Store(
    {
      bucket: 'b',
      endpoint: `127.0.0.1:${port}`,
      tls: false,
      verifyTls: true,
      region: '',
      pathStyle: true,
      credentials,
      ...more,
    },
    limits,
  );
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await store.close();
  });
  return store;
}

const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
const xmlError = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>words</Message></Error>`;

describe('urlOf', () => {
  const config: S3StoreConfig = {
    bucket: 'b',
    endpoint: 'h',
    tls: true,
    verifyTls: true,
    region: '',
    pathStyle: true,
    credentials,
  };
  it.each([
    [true, 'a/b c', 'https://h/b/a/b%20c'],
    [false, 'a+b', 'https://b.h/a%2Bb'],
    [true, "it's(*)", 'https://h/b/it%27s%28%2A%29'],
    [true, '', 'https://h/b/'],
  ])('path style %s, key %j', (pathStyle, key, url) => expect(urlOf({ ...config, pathStyle }, key)).toBe(url));
});

describe('s3Store', () => {
  it('signs each request, with the session token, and never sends the secret', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const store = await storeOn(
      (request, response) => {
        seen.push(request.headers);
        response.end('x');
      },
      { region: 'eu-1', credentials: { ...credentials, sessionToken: 'tok' } },
    );
    await store.get('k');
    expect(seen[0]?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-1\/s3\/aws4_request, /);
    expect(seen[0]?.['x-amz-security-token']).toBe('tok');
    expect(JSON.stringify(seen)).not.toContain('secret-value-1');
  });

  it.each<[string, Handler, string, RegExp]>([
    ['no such key', answer(404, xmlError('NoSuchKey')), 'OBJECT_NOT_FOUND', /object "k" is not in bucket "b"/],
    ['no such bucket', answer(404, xmlError('NoSuchBucket')), 'BUCKET_NOT_FOUND', /bucket "b" at .* does not exist/],
    [
      'forbidden',
      answer(403, xmlError('SignatureDoesNotMatch')),
      'OBJECT_STORE_FORBIDDEN',
      /SignatureDoesNotMatch: words/,
    ],
    ['a proxy without a body', answer(502), 'OBJECT_STORE_UNAVAILABLE', /answers HTTP 502/],
    ['slow down', answer(503, xmlError('SlowDown')), 'OBJECT_STORE_UNAVAILABLE', /SlowDown/],
    [
      'the wrong region',
      answer(301, xmlError('PermanentRedirect'), { 'x-amz-bucket-region': 'eu-9' }),
      'OBJECT_STORE_BAD_ANSWER',
      /region ""/,
    ],
    ['nonsense', answer(418, 'teapot'), 'OBJECT_STORE_BAD_ANSWER', /HTTP 418/],
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
    const store = await storeOn(handler);
    await expect(store.get('k')).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('names the region that the store says the bucket is in', async () => {
    const store = await storeOn(
      answer(400, xmlError('AuthorizationHeaderMalformed'), { 'x-amz-bucket-region': 'eu-9' }),
    );
    await expect(store.listCommonPrefixes('')).rejects.toMatchObject({ nextStep: expect.stringContaining('eu-9') });
  });

  it('takes a 404 to HEAD as an answer, and not one of a missing object as a failed delete', async () => {
    const store = await storeOn(answer(404));
    expect(await store.exists('k')).toBe(false);
    await expect(store.delete('k')).resolves.toBeUndefined();
  });

  it('gives up on a server that does not answer', async () => {
    const store = await storeOn(() => {}, {}, { answerMs: 100 });
    await expect(store.get('k')).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  });

  it('ends with the reason of an abort while it waits', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const store = await storeOn(() => abort.abort(reason));
    await expect(store.get('k', { signal: abort.signal })).rejects.toBe(reason);
  });

  it('does not read more than it was told to take', async () => {
    const store = await storeOn((_, response) => response.end(Buffer.alloc(5000)), {}, { objectBytesMax: 4000 });
    await expect(store.get('k')).rejects.toMatchObject({
      message: expect.stringContaining('larger than the 4000 bytes'),
    });
  });

  it('does not take a web page for a listing', async () => {
    const store = await storeOn(answer(200, '<html>welcome</html>'));
    await expect(store.listCommonPrefixes('')).rejects.toMatchObject({
      code: 'OBJECT_STORE_BAD_ANSWER',
      nextStep: expect.stringContaining('web page'),
    });
  });

  it('follows continuation tokens, and refuses a truncated page without one', async () => {
    const page = (key: string, token?: string) =>
      `<ListBucketResult><IsTruncated>${token !== undefined}</IsTruncated><Contents><Key>${key}</Key><Size>3</Size></Contents>${
        token === undefined || token === '' ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`
      }</ListBucketResult>`;
    const tokens: (string | null)[] = [];
    const store = await storeOn((request, response) => {
      const token = new URL(request.url ?? '', 'http://x').searchParams.get('continuation-token');
      tokens.push(token);
      response.end(token === null ? page('a&amp;b', 't=1') : page('c'));
    });
    const found: string[] = [];
    for await (const { key, sizeBytes } of store.list('')) found.push(`${key} ${sizeBytes}`);
    expect(found).toEqual(['a&b 3', 'c 3']);
    expect(tokens).toEqual([null, 't=1']);
    const broken = await storeOn(answer(200, page('a', '')));
    await expect(broken.listCommonPrefixes('')).rejects.toMatchObject({ code: 'OBJECT_STORE_BAD_ANSWER' });
  });
});

describe('an endpoint that is not there', () => {
  it.each([
    ['127.0.0.1:1', false, /Nothing listens there/],
    ['no-such-host.invalid', false, /does not resolve|network/],
  ])('%s', async (endpoint, tls, nextStep) => {
    const store = s3Store({ bucket: 'b', endpoint, tls, verifyTls: true, region: '', pathStyle: true, credentials });
    await expect(store.get('k')).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      nextStep: expect.stringMatching(nextStep),
    });
    await store.close();
  });

  it('says when TLS meets a server without it', async () => {
    const plain = await storeOn(answer(200, 'x'), { tls: true });
    await expect(plain.get('k')).rejects.toMatchObject({ nextStep: expect.stringContaining('does not speak TLS') });
  });
});
