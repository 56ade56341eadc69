import type { IncomingMessage } from 'node:http';
import { expectRefusesKeys, expectRefusesOtherRanges, FakeClock } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type S3Place, urlOf } from './s3-config.ts';
import { s3Store } from './s3-store.ts';
import { answer, closeServers, type Handler, storeOn, testKeys, xmlError } from './test-server/store-on-server.ts';

afterEach(closeServers);

describe('urlOf', () => {
  const place: S3Place = { bucket: 'b', endpoint: 'h', tls: true, pathStyle: true };
  it.each<[Partial<S3Place>, string, string]>([
    [{}, 'a/b c', 'https://h/b/a/b%20c'],
    [{}, "it's(*)", 'https://h/b/it%27s%28%2A%29'],
    [{}, '', 'https://h/b/'],
    [{ bucket: 'bkt', pathStyle: false }, 'a+b', 'https://bkt.h/a%2Bb'],
    // Names that a wildcard certificate or a host name cannot contain use path style.
    [{ bucket: 'my.bucket', pathStyle: false }, 'k', 'https://h/my.bucket/k'],
    [{ bucket: 'my.bucket', pathStyle: false, tls: false }, 'k', 'http://my.bucket.h/k'],
    [{ bucket: 'Old_Name', pathStyle: false }, 'k', 'https://h/Old_Name/k'],
    [
      { bucket: 'arn:aws:s3:eu-west-1:123456789012:accesspoint/backups' },
      'k',
      'https://backups-123456789012.s3-accesspoint.eu-west-1.amazonaws.com/k',
    ],
    // None of these keys leaves the bucket or prefix.
    [{ bucket: 'a?policy#x/..' }, 'k', 'https://h/a%3Fpolicy%23x%2F../k'],
  ])('%j, key %j', (more, key, url) => expect(urlOf({ ...place, ...more }, key)).toBe(url));
});

describe('s3Store', () => {
  it('sends nothing for a key that all stores reject', async () => {
    const store = await storeOn(() => expect.unreachable('nothing is to be asked'));
    await expectRefusesKeys(store);
  });

  it.each(['s3.test/x', 's3.test?x', 'me@s3.test', 's3.test#', 's3-x.evil.invalid/?.amazonaws.com'])(
    'cannot be created for %j',
    (endpoint) => {
      const config = { bucket: 'b', endpoint, tls: true, verifyTls: true, region: '', pathStyle: true };
      expect(() => s3Store({ ...config, credentials: testKeys })).toThrow(
        expect.objectContaining({ code: 'LOCATION_INVALID' }),
      );
    },
  );

  it('signs each request, also with the session token, and never sends the secret key', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const store = await storeOn(
      (request, response) => {
        seen.push(request.headers);
        response.end('x');
      },
      { region: 'eu-1', credentials: { ...testKeys, sessionToken: 'tok' } },
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
      /region "eu-1"/,
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
    const store = await storeOn(handler, { region: 'eu-1' });
    await expect(store.get('k')).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('accepts only the requested part of an object', () => expectRefusesOtherRanges((handler) => storeOn(handler)));

  it('treats 404 to HEAD as a missing object, and 404 to DELETE as success', async () => {
    const store = await storeOn(answer(404));
    expect(await store.exists('k')).toBe(false);
    await expect(store.delete('k')).resolves.toBeUndefined();
  });

  it('fails when the server does not answer', async () => {
    const store = await storeOn(() => {}, { limits: { answerMs: 100 } });
    await expect(store.get('k')).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  });

  it('ends with the reason of an abort while it waits', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const store = await storeOn(() => abort.abort(reason));
    await expect(store.get('k', { signal: abort.signal })).rejects.toBe(reason);
  });

  it('rejects an object above its size limit', async () => {
    const store = await storeOn((_, response) => response.end(Buffer.alloc(5000)), {
      limits: { objectBytesMax: 4000 },
    });
    await expect(store.get('k')).rejects.toMatchObject({
      message: expect.stringContaining('larger than the 4000 bytes'),
    });
  });

  it.each<[string, Handler, string, RegExp, RegExp]>([
    [
      'a clock that is wrong',
      answer(403, xmlError('RequestTimeTooSkewed'), { date: 'Tue, 01 Jan 2030 00:42:00 GMT' }),
      'OBJECT_STORE_FORBIDDEN',
      /clock and ours differ by 42m \(RequestTimeTooSkewed/,
      /NTP/,
    ],
    [
      'wrong keys',
      answer(403, xmlError('InvalidAccessKeyId')),
      'OBJECT_STORE_FORBIDDEN',
      /InvalidAccessKeyId/,
      /access_key_id/,
    ],
    ['expired keys', answer(400, xmlError('ExpiredToken')), 'OBJECT_STORE_FORBIDDEN', /have expired/, /fresh/],
    [
      'a login page',
      answer(403, '<!DOCTYPE html><title>Log in</title>'),
      'OBJECT_STORE_FORBIDDEN',
      /HTTP 403 with a web page/,
      /proxy/,
    ],
    [
      'a page that is not found',
      answer(404, '<html>no</html>'),
      'OBJECT_STORE_BAD_ANSWER',
      /HTTP 404 with a web page/,
      /proxy/,
    ],
    [
      'a bad gateway with a page',
      answer(502, '<html>no</html>'),
      'OBJECT_STORE_UNAVAILABLE',
      /HTTP 502 with a web page/,
      /./,
    ],
    [
      'a redirect to another host',
      answer(302, '', { location: 'https://login.example/x?secret=1' }),
      'OBJECT_STORE_BAD_ANSWER',
      /redirects to login\.example \(HTTP 302\), which is not followed/,
      /s3Url/,
    ],
    [
      'a redirect to itself',
      (request, response) => response.writeHead(301, { location: `http://${request.headers.host}/` }).end(),
      'OBJECT_STORE_BAD_ANSWER',
      /redirects to 127/,
      /loop/,
    ],
    [
      'headers without end',
      (request) => {
        request.socket.write('HTTP/1.1 200 OK\r\n');
        const more = () => {
          while (!request.socket.destroyed && request.socket.write(`x-more: ${'y'.repeat(4_000)}\r\n`));
        };
        request.socket.on('drain', more);
        more();
      },
      'OBJECT_STORE_BAD_ANSWER',
      /larger headers than are read/,
      /S3 service/,
    ],
    [
      'another protocol',
      (request) => void request.socket.end('220 mail.example ESMTP\r\n'),
      'OBJECT_STORE_BAD_ANSWER',
      /does not answer in HTTP/,
      /port/,
    ],
    [
      'a key that KMS does not give',
      answer(400, xmlError('KMS.DisabledException')),
      'OBJECT_STORE_BAD_ANSWER',
      /encryption key/,
      /kmsKeyId/,
    ],
    [
      'what it does not know',
      answer(501, xmlError('NotImplemented')),
      'OBJECT_STORE_UNAVAILABLE',
      /NotImplemented/,
      /checksumAlgorithm/,
    ],
  ])('reports the cause of %s', async (_, handler, code, message, nextStep) => {
    const deps = { clock: new FakeClock('2030-01-01T00:00:00Z') };
    const store = await storeOn(handler, { deps });
    const error = await store.get('k').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    if (code !== 'OBJECT_STORE_UNAVAILABLE' || String(nextStep) !== '/./') {
      expect(error).toMatchObject({ nextStep: expect.stringMatching(nextStep) });
    }
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it("truncates the server's message and removes control characters", async () => {
    const store = await storeOn(
      answer(403, `<Error><Code>Bad</Code><Message>\u0007${'x'.repeat(5_000)}</Message></Error>`),
    );
    const error = (await store.get('k').catch((reason: unknown) => reason)) as Error;
    expect(error.message.length).toBeLessThan(500);
    expect(error.message).not.toContain('\u0007');
  });

  it.each<[string, Handler, 'soon' | 'later' | 'never']>([
    ['slow down', answer(503, xmlError('SlowDown')), 'soon'],
    ['a busy gateway', answer(502), 'soon'],
    ['a lost connection', (request) => request.socket.destroy(), 'soon'],
    ['wrong keys', answer(403, xmlError('AccessDenied')), 'later'],
    ['no such key', answer(404, xmlError('NoSuchKey')), 'never'],
  ])('%s is worth a retry: %s', async (_, handler, retry) => {
    const store = await storeOn(handler);
    await expect(store.get('k')).rejects.toMatchObject({ retry });
  });

  it('does not accept a web page as a listing', async () => {
    const store = await storeOn(answer(200, '<html>welcome</html>'));
    await expect(store.listCommonPrefixes('')).rejects.toMatchObject({
      code: 'OBJECT_STORE_BAD_ANSWER',
      nextStep: expect.stringContaining('web page'),
    });
  });

  it('follows continuation tokens, and rejects a truncated page without one', async () => {
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

describe('the region of a bucket without a configured region', () => {
  const regionOf = (request: IncomingMessage) =>
    /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1];

  it.each<[string, number, string, Record<string, string>]>([
    ['a header of a redirect', 301, xmlError('PermanentRedirect'), { 'x-amz-bucket-region': 'eu-9' }],
    ['a header of a refusal', 400, xmlError('AuthorizationHeaderMalformed'), { 'x-amz-bucket-region': 'eu-9' }],
    ['the body of a refusal', 400, xmlError('AuthorizationHeaderMalformed', '<Region>eu-9</Region>'), {}],
  ])('is learned once from %s', async (_, status, body, headers) => {
    const asked: (string | undefined)[] = [];
    const store = await storeOn((request, response) => {
      asked.push(regionOf(request));
      if (asked.at(-1) === 'eu-9') response.end('value');
      else response.writeHead(status, headers).end(body);
    });
    expect(new TextDecoder().decode(await store.get('k'))).toBe('value');
    await store.get('k');
    expect(asked).toEqual(['us-east-1', 'eu-9', 'eu-9']);
  });

  it('is learned from the headers of a HEAD, which has no body', async () => {
    const store = await storeOn((request, response) => {
      if (regionOf(request) === 'eu-9') response.end();
      else response.writeHead(400, { 'x-amz-bucket-region': 'eu-9' }).end();
    });
    expect(await store.exists('k')).toBe(true);
  });

  it('is not used when another region is configured, but named in the error', async () => {
    let asked = 0;
    const store = await storeOn(
      (_, response) => {
        asked++;
        response.writeHead(400, { 'x-amz-bucket-region': 'eu-9' }).end(xmlError('AuthorizationHeaderMalformed'));
      },
      { region: 'eu-1' },
    );
    await expect(store.listCommonPrefixes('')).rejects.toMatchObject({ nextStep: expect.stringContaining('eu-9') });
    expect(asked).toBe(1);
  });

  it('that changes with every response, or equals the one used, ends in an error', async () => {
    let asked = 0;
    const wandering = await storeOn((_, response) => {
      asked++;
      response.writeHead(301, { 'x-amz-bucket-region': `eu-${asked}` }).end();
    });
    await expect(wandering.get('k')).rejects.toMatchObject({ code: 'OBJECT_STORE_BAD_ANSWER' });
    expect(asked).toBe(3);
    const circle = await storeOn(answer(301, '', { 'x-amz-bucket-region': 'us-east-1' }));
    await expect(circle.get('k')).rejects.toMatchObject({ message: expect.stringContaining('in a loop') });
  });
});

describe('an unreachable endpoint', () => {
  it.each([
    ['127.0.0.1:1', false, /Nothing listens there/],
    ['no-such-host.invalid', false, /config\.s3Url and the DNS/],
  ])('%s', async (endpoint, tls, nextStep) => {
    const store = s3Store({
      bucket: 'b',
      endpoint,
      tls,
      verifyTls: true,
      region: '',
      pathStyle: true,
      credentials: testKeys,
    });
    await expect(store.get('k')).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      nextStep: expect.stringMatching(nextStep),
    });
    await store.close();
  });

  it('reports TLS to a server without it', async () => {
    const plain = await storeOn(answer(200, 'x'), { tls: true });
    await expect(plain.get('k')).rejects.toMatchObject({
      message: expect.stringContaining('does not speak TLS'),
      nextStep: expect.stringContaining('http or https'),
    });
  });
});
