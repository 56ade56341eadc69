import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { testCertificates } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type FollowOptions, followLink, type LinkedFile } from './follow-link.ts';
import { unreachableLink } from './link-error.ts';

const secret = 'SECRETSIGNATURE';
const servers: Server[] = [];
const signal = AbortSignal.any([]);

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const http = async (answer: RequestListener) => `http://127.0.0.1:${await listening(createHttpServer(answer))}`;
const https = async (answer: RequestListener) =>
  `https://127.0.0.1:${await listening(createHttpsServer(testCertificates().server, answer))}`;
const link = (base: string) => `${base}/bucket/key?X-Amz-Signature=${secret}`;

const follow = (url: string, options: Partial<FollowOptions> = {}, use = text, stop = signal) =>
  followLink(
    url,
    { authorities: undefined, insecureSkipTlsVerify: false, env: {}, silenceMs: 5_000, ...options },
    use,
    stop,
  );

async function text({ pieces }: LinkedFile): Promise<string> {
  const got: Uint8Array[] = [];
  for await (const piece of pieces) got.push(piece);
  return Buffer.concat(got).toString();
}

const failure = async (run: Promise<unknown>) => {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(String((error as Error | undefined)?.stack)).not.toContain(secret);
  return error;
};

const xml = (body: string) => (response: ServerResponse) => response.writeHead(403).end(body);

describe('followLink', () => {
  it('downloads the file with a plain GET, and returns its length', async () => {
    const headers: string[] = [];
    const base = await http((request, response) => {
      headers.push(...Object.keys(request.headers));
      response.end('content');
    });
    const seen = await follow(link(base), {}, async (file) => `${file.totalBytes} ${await text(file)}`);
    expect(seen).toBe('7 content');
    expect(headers.filter((name) => /auth|amz|cookie|encoding/.test(name))).toEqual([]);
  });

  it('reports 404 as a missing file, whatever the body says', async () => {
    const base = await http((_, response) => response.writeHead(404).end('<Code>NoSuchKey</Code>'));
    expect(await failure(follow(link(base)))).toMatchObject({ code: 'FILE_NOT_FOUND', message: 'file not found' });
  });

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    ['with the message of the store', xml('<Code>AccessDenied</Code>'), 'request failed: <Code>AccessDenied</Code>'],
    [
      'without a signature in the message',
      xml(`<Uri>/k?X-Amz-Signature=${secret}</Uri>`),
      'request failed: <Uri>/k?X-Amz-Signature=***</Uri>',
    ],
    ['on one line, for terminals', xml('a\n\u001b[31mb'), 'request failed: a [31mb'],
    ['when it says nothing', (response) => response.writeHead(500).end(), 'request failed: HTTP 500'],
    ['shortened, when the message is too long', xml('x'.repeat(100_000)), `request failed: ${'x'.repeat(4_096)}`],
  ])('reports another refusal %s', async (_, answer, message) => {
    const base = await http((_request, response) => answer(response));
    expect(await failure(follow(link(base)))).toMatchObject({ code: 'DOWNLOAD_FAILED', message });
  });

  it('follows a redirect, but no redirect loop', async () => {
    const base = await http((request, response) => {
      if (request.url === '/there') response.end('moved');
      else response.writeHead(307, { location: request.url?.startsWith('/loop') ? '/loop' : '/there' }).end();
    });
    expect(await follow(link(base))).toBe('moved');
    expect(await failure(follow(`${base}/loop`))).toMatchObject({ code: 'DOWNLOAD_UNREACHABLE' });
  });

  it('fails when the file ends too early', async () => {
    const base = await http((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      response.socket?.end();
    });
    expect(await failure(follow(link(base)))).toMatchObject({ code: 'DOWNLOAD_BROKEN' });
  });

  it('fails when the store stops sending, before or during the file', async () => {
    const base = await http((request, response) => {
      if (request.url?.startsWith('/bucket')) response.writeHead(200).write('half');
    });
    const stalled = failure(follow(link(base), { silenceMs: 300 }));
    const mute = failure(follow(`${base}/mute`, { silenceMs: 300 }));
    expect(await stalled).toMatchObject({
      code: 'DOWNLOAD_BROKEN',
      message: expect.stringMatching(/has stopped sending/),
    });
    expect(await mute).toMatchObject({ code: 'DOWNLOAD_UNREACHABLE' });
  });

  it('ends at once with the reason when it is aborted', async () => {
    const stop = new AbortController();
    const base = await http((_, response) => response.writeHead(200).write('half'));
    const stopped = follow(
      link(base),
      {},
      async ({ pieces }) => {
        for await (const _ of pieces) stop.abort(new Error('Ctrl-C'));
        return 'not reached';
      },
      stop.signal,
    );
    await expect(stopped).rejects.toThrow('Ctrl-C');
  });

  it('reports a closed port, an invalid response, and an invalid link', async () => {
    expect(await failure(follow(link('http://127.0.0.1:1')))).toMatchObject({
      code: 'DOWNLOAD_UNREACHABLE',
      message: 'the link leads to 127.0.0.1:1, which does not answer',
    });
    const huge = await http((_, response) => response.writeHead(200, { 'x-much': 'y'.repeat(100_000) }).end());
    expect(await failure(follow(link(huge)))).toMatchObject({
      code: 'DOWNLOAD_UNREACHABLE',
      nextStep: /not that of an object store/,
    });
    expect(await failure(follow(`file:///etc/passwd?X-Amz-Signature=${secret}`))).toMatchObject({
      code: 'DOWNLOAD_FAILED',
    });
  });

  it('suggests publicUrl when the name resolves only inside the cluster', () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND minio.velero.svc'), { code: 'ENOTFOUND' });
    expect(unreachableLink(cause, 'minio.velero.svc:9000').nextStep).toContain('config.publicUrl');
  });
});

describe('the certificate of a store', () => {
  const { ca, otherCa } = testCertificates();

  it('is rejected when no trusted CA has signed it, and both options are named', async () => {
    const base = await https((_, response) => response.end('content'));
    for (const authorities of [undefined, [otherCa]]) {
      const error = await failure(follow(link(base), { authorities }));
      expect(error).toMatchObject({
        code: 'DOWNLOAD_TLS',
        nextStep: expect.stringMatching(/--cacert.*--insecure-skip-tls-verify/),
      });
    }
  });

  it('is accepted when its CA is given, or when verification is off', async () => {
    const base = await https((_, response) => response.end('content'));
    expect(await follow(link(base), { authorities: [otherCa, ca] })).toBe('content');
    expect(await follow(link(base), { insecureSkipTlsVerify: true })).toBe('content');
  });

  it('is not reported for a server without TLS', async () => {
    const base = await http((_, response) => response.end('content'));
    expect(await failure(follow(link(base.replace('http:', 'https:'))))).toMatchObject({
      code: 'DOWNLOAD_UNREACHABLE',
    });
  });
});

describe('a proxy', () => {
  it('from the environment is used, but not for loopback addresses and not for names in NO_PROXY', async () => {
    const { ca } = testCertificates();
    const target = new URL(await https((_, response) => response.end('content')));
    const tunnels: string[] = [];
    const server = createHttpServer();
    server.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const to = connect(Number(target.port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        to.pipe(socket).pipe(to);
      });
    });
    const proxy = `http://127.0.0.1:${await listening(server)}`;
    const options = { authorities: [ca], env: { HTTPS_PROXY: proxy, NO_PROXY: 'elsewhere.test' } };
    expect(await follow(link(target.origin), options)).toBe('content');
    expect(tunnels).toEqual([]);
    // The certificate is for localhost; only a proxy can resolve the name with a dot.
    const far = await follow(link('https://store.test:443'), { ...options, insecureSkipTlsVerify: true });
    expect([far, tunnels]).toEqual(['content', ['store.test:443']]);
    expect(await failure(follow(link('https://elsewhere.test:1'), options))).toMatchObject({
      code: 'DOWNLOAD_UNREACHABLE',
    });
    expect(tunnels).toHaveLength(1);
  });

  it('with an invalid address is reported without its password', async () => {
    const error = await failure(follow(link('http://store.test'), { env: { HTTP_PROXY: `me:${secret}@nowhere:x` } }));
    expect(error).toMatchObject({
      code: 'DOWNLOAD_FAILED',
      message: 'HTTP_PROXY of the environment is not the address of a proxy',
    });
  });

  it('that rejects a request is named in the error, and redirects also use the proxy', async () => {
    const asked: string[] = [];
    const server = createHttpServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url?.startsWith('http://store.test/') !== true) response.end('moved content');
      else response.writeHead(307, { location: 'http://moved.test/key' }).end();
    });
    server.on('connect', (_, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'));
    const proxy = `me:${secret}@127.0.0.1:${await listening(server)}`;
    const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
    expect(await follow(link('http://store.test'), { env })).toBe('moved content');
    expect(asked).toEqual([link('http://store.test'), 'http://moved.test/key']);
    expect(await failure(follow(link('https://store.test'), { env }))).toMatchObject({
      code: 'DOWNLOAD_UNREACHABLE',
      message: `the link leads to store.test, and the proxy ${proxy.split('@')[1]} before it answers HTTP 407`,
    });
  });
});
