import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, describeError } from '@lateen/errors';
import { FakeClock } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, closeServers, type Handler, serve, storeOn, xmlError } from '../test-server/store-on-server.ts';
import { containerKeys } from './container-keys.ts';
import { environmentKeys } from './environment-keys.ts';
import { instanceKeys } from './instance-keys.ts';
import { refreshBeforeMs, refreshedKeys } from './refreshed-keys.ts';
import { stsUrlOf, webIdentityKeys } from './web-identity.ts';

const keysOf = (name: string) => ({
  accessKeyId: name,
  secretAccessKey: 'secret-value-9',
  sessionToken: 'token-value-9',
});
const hourMs = 3_600_000;
let clock: FakeClock;
let directory: string;
let tokenFile: string;

beforeEach(async () => {
  clock = new FakeClock('2030-01-01T00:00:00Z');
  directory = await mkdtemp(join(tmpdir(), 'lateen-keys-'));
  tokenFile = join(directory, 'token');
  await writeFile(tokenFile, 'web-token-1\n');
});
afterEach(async () => {
  await closeServers();
  await rm(directory, { recursive: true });
});

describe('refreshedKeys', () => {
  function refreshed() {
    let calls = 0;
    let failure: Error | undefined;
    const source = refreshedKeys(async () => {
      calls++;
      if (failure !== undefined) throw failure;
      return { keys: keysOf(`K${calls}`), expiresMs: clock.now() + hourMs };
    }, clock);
    return {
      source,
      calls: () => calls,
      fail: (error?: Error) => {
        failure = error;
      },
      id: async () => (await source.keys()).accessKeyId,
    };
  }

  it('requests keys once for many callers, and again shortly before they expire', async () => {
    const { source, calls, id } = refreshed();
    await Promise.all([source.keys(), source.keys(), source.keys()]);
    expect(calls()).toBe(1);
    await clock.advance(hourMs - refreshBeforeMs - 1);
    expect(await id()).toBe('K1');
    await clock.advance(1);
    expect(await id()).toBe('K2');
  });

  it('uses the old keys while they are valid and no new ones are available, without constant requests', async () => {
    const { fail, calls, id } = refreshed();
    await id();
    fail(new Error('the service is down'));
    await clock.advance(hourMs - 60_000);
    expect(await id()).toBe('K1');
    expect(await id()).toBe('K1');
    expect(calls()).toBe(2);
    await clock.advance(31_000);
    await id();
    expect(calls()).toBe(3);
    await clock.advance(60_000);
    await expect(id()).rejects.toThrow('the service is down');
    fail();
    expect(await id()).toBe('K5');
  });

  it('requests new keys after the store has reported them as expired', async () => {
    const { source, id } = refreshed();
    await id();
    source.forget();
    expect(await id()).toBe('K2');
  });

  it('releases an aborted caller, and not the others', async () => {
    let answerIt = (_: ReturnType<typeof keysOf>) => {};
    const source = refreshedKeys(
      async () => ({ keys: await new Promise<ReturnType<typeof keysOf>>((resolve) => (answerIt = resolve)) }),
      clock,
    );
    const stop = new AbortController();
    const [first, second] = [source.keys(stop.signal), source.keys()];
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    answerIt(keysOf('K'));
    expect((await second).accessKeyId).toBe('K');
  });
});

describe('web identity', () => {
  const assumed = (id: string, expires: string) =>
    `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${id}</AccessKeyId>` +
    `<SecretAccessKey>secret-value-9</SecretAccessKey><SessionToken>token-value-9</SessionToken>` +
    `<Expiration>${expires}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
  const identity = async (handler: Handler) => ({
    roleArn: 'arn:aws:iam::1:role/backup',
    webIdentityTokenFile: tokenFile,
    stsUrl: `http://${await serve(handler)}`,
  });

  it('exchanges the current token in the file for keys', async () => {
    const asked: Record<string, string>[] = [];
    const source = webIdentityKeys(
      await identity((_, response, body) => {
        asked.push(Object.fromEntries(new URLSearchParams(body.toString())));
        response.end(assumed(`ASIA${asked.length}`, '2030-01-01T01:00:00Z'));
      }),
      { clock },
    );
    expect(await source.keys()).toEqual(keysOf('ASIA1'));
    await writeFile(tokenFile, 'web-token-2');
    await clock.advance(hourMs - refreshBeforeMs);
    expect((await source.keys()).accessKeyId).toBe('ASIA2');
    expect(asked).toEqual(
      ['web-token-1', 'web-token-2'].map((WebIdentityToken) => ({
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: 'arn:aws:iam::1:role/backup',
        RoleSessionName: 'lateen',
        WebIdentityToken,
      })),
    );
  });

  it.each<[string, Handler, string, RegExp]>([
    [
      'a role that may not be assumed',
      answer(403, xmlError('AccessDenied')),
      'CREDENTIALS_INVALID',
      /role\/backup gives no credentials \(AccessDenied: words\)/,
    ],
    [
      'an expired token',
      answer(400, xmlError('ExpiredTokenException')),
      'CREDENTIALS_INVALID',
      /ExpiredTokenException/,
    ],
    ['a busy service', answer(503), 'CREDENTIALS_UNAVAILABLE', /answers HTTP 503/],
    ['a web page', answer(200, '<html>'), 'CREDENTIALS_UNAVAILABLE', /without keys/],
    [
      'a lost connection',
      (request) => request.socket.destroy(),
      'CREDENTIALS_UNAVAILABLE',
      /cannot be reached: the connection was lost/,
    ],
  ])('reports %s, and never the token', async (_, handler, code, message) => {
    const error = await webIdentityKeys(await identity(handler), { clock })
      .keys()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(describeError(error)).not.toContain('web-token');
  });

  it('reports a missing or empty token file', async () => {
    const from = await identity(answer(200));
    await writeFile(tokenFile, ' ');
    await expect(webIdentityKeys(from, { clock }).keys()).rejects.toThrow('is empty');
    const gone = { ...from, webIdentityTokenFile: join(directory, 'none') };
    await expect(webIdentityKeys(gone, { clock }).keys()).rejects.toMatchObject({
      nextStep: expect.stringContaining('service account'),
    });
  });

  it('uses the token service of the region', () => {
    expect(['', 'eu-west-1', 'cn-north-1'].map(stsUrlOf)).toEqual([
      'https://sts.amazonaws.com',
      'https://sts.eu-west-1.amazonaws.com',
      'https://sts.cn-north-1.amazonaws.com.cn',
    ]);
  });

  it.each(['x.evil.invalid/?', 'x@evil.invalid', 'a/b', 'A', 'a b'])('sends nothing for the region %j', (region) => {
    const invalid = expect.objectContaining({ code: 'LOCATION_INVALID' });
    expect(() => stsUrlOf(region)).toThrow(invalid);
    const role = { AWS_ROLE_ARN: 'arn', AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile };
    expect(() => environmentKeys(role, { clock, region })).toThrow(invalid);
    expect(() => environmentKeys({ ...role, AWS_REGION: region }, { clock })).toThrow(invalid);
  });

  it('of a store with a role starts with its token', async () => {
    const credentials = { roleArn: 'arn:aws:iam::1:role/backup', webIdentityTokenFile: join(directory, 'none') };
    const store = await storeOn(() => expect.unreachable(), { credentials, region: 'eu-west-1' });
    await expect(store.get('k')).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
  });

  it('signs the requests of a store, and requests new keys when the store reports them as expired', async () => {
    let issued = 0;
    const source = webIdentityKeys(
      await identity((_, response) => response.end(assumed(`ASIA${++issued}`, '2030-01-01T01:00:00Z'))),
      { clock },
    );
    const store = await storeOn(
      (request, response) => {
        const isFirst = request.headers.authorization?.includes('ASIA1/');
        response.writeHead(isFirst ? 400 : 200).end(isFirst ? xmlError('ExpiredToken') : 'value');
      },
      { credentials: source, deps: { clock } },
    );
    await expect(store.get('k')).rejects.toMatchObject({ message: expect.stringContaining('have expired') });
    expect(new TextDecoder().decode(await store.get('k'))).toBe('value');
  });
});

describe('platform credentials', () => {
  const json = JSON.stringify({
    AccessKeyId: 'ASIAJ',
    SecretAccessKey: 'secret-value-9',
    Token: 'token-value-9',
    Expiration: '2030-01-01T01:00:00Z',
  });

  it('come from the EKS Pod Identity agent, with the token of the pod', async () => {
    let authorization: string | undefined;
    const host = await serve((request, response) => {
      authorization = request.headers.authorization;
      response.end(json);
    });
    expect(await containerKeys({ url: `http://${host}/v1/credentials`, tokenFile }, clock).keys()).toEqual(
      keysOf('ASIAJ'),
    );
    expect(authorization).toBe('web-token-1');
  });

  it('are not requested from any host without TLS', async () => {
    await expect(containerKeys({ url: 'http://example.com/', tokenFile }, clock).keys()).rejects.toMatchObject({
      code: 'CREDENTIALS_INVALID',
    });
  });

  it('come from the metadata service of the node, with a session token', async () => {
    const lines: string[] = [];
    const host = await serve((request, response) => {
      lines.push(`${request.method} ${request.url} ${request.headers['x-aws-ec2-metadata-token'] ?? ''}`.trim());
      if (request.method === 'PUT') response.end('session-1');
      else response.end(request.url?.endsWith('/') ? 'node-role\n' : json);
    });
    expect(await instanceKeys(clock, `http://${host}`).keys()).toEqual(keysOf('ASIAJ'));
    expect(lines).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/ session-1',
      'GET /latest/meta-data/iam/security-credentials/node-role session-1',
    ]);
  });

  it.each(['{"AccessKeyId":"A","SecretAccessKey":"secret-value-9"}', 'secret-value-9', '[]', 'null'])(
    'that are incomplete are rejected without printing them: %s',
    async (body) => {
      const source = containerKeys({ url: `http://${await serve(answer(200, body))}/` }, clock);
      const error = await source.keys().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AppError);
      expect(describeError(error)).not.toContain('secret-value-9');
    },
  );

  it('are searched in the order of the AWS SDKs', async () => {
    const hosts = {
      sts: await serve((_, response) => response.writeHead(403).end(xmlError('FromSts'))),
      agent: await serve((_, response) => response.writeHead(403).end(xmlError('FromAgent'))),
      node: await serve((_, response) => response.writeHead(403).end(xmlError('FromNode'))),
    };
    const node = { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://${hosts.node}/` };
    const agent = { ...node, AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://${hosts.agent}/` };
    const role = {
      AWS_ROLE_ARN: 'arn:x',
      AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
      AWS_ENDPOINT_URL_STS: `http://${hosts.sts}`,
    };
    const keys = { ...agent, ...role, AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'S' };
    const from = (environment: Record<string, string>) => environmentKeys(environment, { clock }).keys();
    expect(await from(keys)).toEqual({ accessKeyId: 'A', secretAccessKey: 'S' });
    await expect(from({ ...agent, ...role })).rejects.toThrow('FromSts');
    await expect(from(agent)).rejects.toThrow('FromAgent');
    await expect(from(node)).rejects.toThrow('FromNode');
  });
});
