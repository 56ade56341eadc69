import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isAppError } from '@lateen/errors';
import { environmentProxies, type ObjectStore } from '@lateen/object-store';
import { azureStore } from '@lateen/object-store-azure';
import { accountKeys } from '@lateen/object-store-azure/account-key';
import { gcsStore } from '@lateen/object-store-gcs';
import { environmentKeys, s3Store } from '@lateen/object-store-s3';
import { FakeClock } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { answers, type BadServer, badServer } from './bad-server.ts';
import { newAuthority } from './bad-server-certificates.ts';
import { type ProxyServer, type ProxyWishes, proxyServer } from './proxy-server.ts';

type Provider = 'aws' | 'azure' | 'gcp';
const providers: readonly Provider[] = ['aws', 'azure', 'gcp'];

/** The addresses of the stores; no DNS resolves these names, so only a proxy can reach them. */
const hosts: Record<Provider, string> = {
  aws: 's3.store.test',
  azure: 'acct.blob.store.test',
  gcp: 'storage.store.test',
};
const paths: Record<Provider, string> = {
  aws: '/backups/key',
  azure: '/backups/key',
  gcp: '/storage/v1/b/backups/o/key?alt=media',
};

const clock = new FakeClock();
const ours = newAuthority('Authority of a test');
const password = 'p%40ss/SECRET'.replace('/', '%2F');

interface Wishes {
  provider: Provider;
  https: boolean;
  proxy?: Partial<ProxyWishes>;
  environment(proxyPort: number): Record<string, string>;
}

interface Rig {
  store: ObjectStore;
  proxy: ProxyServer;
  server: BadServer;
}

async function rig({ provider, https, proxy: wishes, environment }: Wishes): Promise<Rig> {
  const certificate = ours.issue({ names: [...Object.values(hosts), '127.0.0.1'] });
  const server = await badServer(
    answers(200, 'content', { 'content-length': '7', etag: '"1"' }),
    https ? certificate : undefined,
  );
  const proxy = await proxyServer({ portOf: () => server.port, ...wishes });
  // On loopback, which never goes through a proxy.
  const tokens = await badServer(answers(200, granted));
  const proxyFor = environmentProxies(environment(proxy.port));
  const location = { bucket: 'backups', tls: https, ...(https ? { caPem: ours.cert } : {}) };
  const stores: Record<Provider, () => ObjectStore> = {
    aws: () => {
      const credentials = { accessKeyId: 'AKIA0', secretAccessKey: 'the-secret-key' };
      const place = { endpoint: hosts.aws, region: 'eu-1', pathStyle: true, verifyTls: true };
      return s3Store({ ...location, ...place, credentials }, {}, { clock, proxyFor });
    },
    azure: () => {
      const credentials = { kind: 'accountKey', accountKey: 'a2V5' } as const;
      const account = { storageAccount: 'acct', storageDomain: 'blob.store.test' };
      return azureStore({ ...location, ...account, credentials }, { clock, proxyFor });
    },
    gcp: () => {
      const credentials = googleKey(`http://127.0.0.1:${tokens.port}/token`);
      const endpoint = `http${https ? 's' : ''}://${hosts.gcp}`;
      return gcsStore({ ...location, endpoint, credentials }, { clock, proxyFor });
    },
  };
  const store = stores[provider]();
  onTestFinished(() => store.close());
  return { store, proxy, server };
}

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const granted = JSON.stringify({ access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' });

function googleKey(token_uri: string) {
  const email = 'backups@project.test';
  const json = JSON.stringify({ type: 'service_account', client_email: email, private_key: privateKey, token_uri });
  return { kind: 'serviceAccount', json, email, privateKey } as const;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

async function told(work: Promise<unknown>): Promise<{ code: string; retry: string; text: string }> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isAppError(error)) throw new Error('it did not fail as it should', { cause: error });
  for (const text of [error.message, error.nextStep ?? '', JSON.stringify(error), String(error.cause)]) {
    expect(text).not.toContain('SECRET');
  }
  return { code: error.code, retry: error.retry, text: `${error.message}. ${error.nextStep}` };
}

describe.each(providers)('a location on %s behind a proxy', (provider) => {
  const host = hosts[provider];

  it('is reached over https through a tunnel, and its certificate is checked by the client', async () => {
    const environment = (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const { store, proxy } = await rig({ provider, https: true, environment });
    expect(textOf(await store.get('key'))).toBe('content');
    expect(textOf(await store.get('key'))).toBe('content');
    // The proxy sees nothing but the target.
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${host}:443`]));
  });

  it('is reached over http with absolute-form requests', async () => {
    const environment = (port: number) => ({ http_proxy: `127.0.0.1:${port}` });
    const { store, proxy } = await rig({ provider, https: false, environment });
    expect(textOf(await store.get('key'))).toBe('content');
    expect(proxy.asked).toEqual([expect.stringContaining(`GET http://${host}${paths[provider]}`)]);
  });

  it.each([true, false])('sends the proxy the credentials of the variable (https: %s)', async (https) => {
    const environment = (port: number) => {
      const address = `http://me:${password}@127.0.0.1:${port}`;
      return { HTTPS_PROXY: address, HTTP_PROXY: address };
    };
    const wants = `me:${decodeURIComponent(password)}`;
    const { store, proxy } = await rig({ provider, https, proxy: { wants }, environment });
    expect(textOf(await store.get('key'))).toBe('content');
    expect(proxy.asked).toEqual([expect.stringMatching(new RegExp(` as ${wants}$`))]);
  });

  it.each([true, false])('reports that the proxy wants credentials (https: %s)', async (https) => {
    const environment = (port: number) => {
      const address = `http://me:wrong-SECRET@127.0.0.1:${port}`;
      return { HTTPS_PROXY: address, HTTP_PROXY: address };
    };
    const { store } = await rig({ provider, https, proxy: { wants: 'you:other' }, environment });
    const error = await told(store.get('key'));
    expect(error).toMatchObject({ code: 'OBJECT_STORE_BAD_ANSWER', retry: 'later' });
    expect(error.text).toMatch(/proxy .*asks for credentials of its own \(HTTP 407\)\. Give the proxy's credentials/);
  });

  it.each([
    [403, 'later'],
    [502, 'soon'],
    [503, 'soon'],
  ])('reports that the proxy answers %i instead of the store', async (refuses, retry) => {
    const environment = (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const { store, proxy } = await rig({ provider, https: true, proxy: { refuses }, environment });
    expect(await told(store.get('key'))).toEqual({
      code: 'OBJECT_STORE_UNAVAILABLE',
      retry,
      text: `object store https://${host}, by the proxy 127.0.0.1:${proxy.port}, cannot be reached: the proxy answers HTTP ${refuses}. Allow the pods in the proxy to reach the object store, or name the store in NO_PROXY of the pods if they reach it without.`,
    });
  });

  it.each([true, false])('reports that the proxy is down (https: %s)', async (https) => {
    const { port } = await badServer('nobody listens');
    const address = `http://me:my-SECRET@127.0.0.1:${port}`;
    const environment = () => ({ HTTPS_PROXY: address, HTTP_PROXY: address });
    const { store } = await rig({ provider, https, environment });
    expect(await told(store.get('key'))).toEqual({
      code: 'OBJECT_STORE_UNAVAILABLE',
      retry: 'soon',
      text: `object store http${https ? 's' : ''}://${host}, by the proxy 127.0.0.1:${port}, cannot be reached: the proxy refuses connections. Check HTTPS_PROXY and HTTP_PROXY of the pods, or name the store in NO_PROXY if they reach it without.`,
    });
  });

  it('names the proxy also when the server behind it is not trusted', async () => {
    const environment = (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const intercepting = await badServer(answers(200, 'x'), newAuthority('Another').issue({ names: [host] }));
    const { store, proxy } = await rig({
      provider,
      https: true,
      proxy: { portOf: () => intercepting.port },
      environment,
    });
    const { text } = await told(store.get('key'));
    expect(text).toBe(
      `object store https://${host}, by the proxy 127.0.0.1:${proxy.port}, cannot be reached: its certificate is not trusted. Give the certificate of its authority in objectStorage.caCertRef. HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the pod route these requests through a proxy.`,
    );
  });

  it('accepts no larger headers through a proxy than without one', async () => {
    const pouring = answers(200, 'x', { 'x-large': 'x'.repeat(60_000) });
    const certificate = ours.issue({ names: [host] });
    const server = await badServer(pouring, certificate);
    const environment = (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const { store, proxy } = await rig({ provider, https: true, proxy: { portOf: () => server.port }, environment });
    const by = `by the proxy 127.0.0.1:${proxy.port}`;
    const { text } = await told(store.get('key'));
    expect(text).toMatch(`object store https://${host}, ${by}, answers with larger headers than are read. `);
  });

  it('is reached without the proxy where NO_PROXY says so', async () => {
    const environment = (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '.svc, store.test' });
    const { store, proxy } = await rig({ provider, https: true, environment });
    // The name cannot be resolved, which proves that the proxy was not used.
    expect((await told(store.get('key'))).text).toMatch(`object store https://${host} cannot be reached: `);
    expect(proxy.asked).toEqual([]);
  });

  it('names the variable that is wrong, without its value', async () => {
    const environment = () => ({ HTTPS_PROXY: 'me:my-SECRET@nowhere:x' });
    const { store } = await rig({ provider, https: true, environment });
    expect(await told(store.get('key'))).toMatchObject({
      code: 'PROXY_INVALID',
      text: expect.stringMatching(/^HTTPS_PROXY of the environment is not the address of a proxy\. /),
    });
  });
});

describe('with a certificate authority that the system trusts', () => {
  const systems = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...systems, ours.cert]));
  afterAll(() => setDefaultCACertificates(systems));

  it.each(providers.flatMap((provider) => [true, false].map((https) => ({ provider, https }))))(
    'a proxy that speaks TLS is used ($provider, https: $https)',
    async ({ provider, https }) => {
      const tls = ours.issue({ names: ['127.0.0.1'] });
      const environment = (port: number) => {
        const address = `https://me:my-SECRET@127.0.0.1:${port}`;
        return { HTTPS_PROXY: address, HTTP_PROXY: address };
      };
      const { store, proxy } = await rig({ provider, https, proxy: { tls, wants: 'me:my-SECRET' }, environment });
      expect(textOf(await store.get('key'))).toBe('content');
      expect(proxy.asked).toEqual([expect.stringMatching(/ as me:my-SECRET$/)]);
    },
  );

  it('a proxy that speaks TLS with a certificate for another name is not trusted', async () => {
    const tls = ours.issue({ names: ['another.test'] });
    const environment = (port: number) => ({ HTTP_PROXY: `https://127.0.0.1:${port}` });
    const { store, proxy } = await rig({ provider: 'aws', https: false, proxy: { tls }, environment });
    expect((await told(store.get('key'))).text).toMatch(
      "cannot be reached: the proxy's certificate is for another name.",
    );
    expect(proxy.asked).toEqual([]);
  });

  const principal = (authority: string) =>
    ({ kind: 'clientSecret', tenantId: 't', clientId: 'c', clientSecret: 'azure-SECRET', authority }) as const;
  const account = (resourceManager: string) => ({
    ...{ resourceManager, subscriptionId: 's', resourceGroup: 'g', storageAccount: 'acct' },
  });

  async function services(https: boolean, wishes: Partial<ProxyWishes> = {}) {
    const certificate = ours.issue({
      names: ['login.azure.test', 'management.azure.test', 'sts.google.test', 'storage.store.test'],
    });
    const server = await badServer(
      (request, response, self) => {
        const isKeys = request.url?.includes('listKeys') === true;
        answers(200, isKeys ? '{"keys":[{"permissions":"Full","value":"a2V5"}]}' : granted)(request, response, self);
      },
      https ? certificate : undefined,
    );
    const proxy = await proxyServer({ portOf: () => server.port, wants: 'me:my-SECRET', ...wishes });
    const address = `http://me:my-SECRET@127.0.0.1:${proxy.port}`;
    return { proxy, address, proxyFor: environmentProxies({ HTTPS_PROXY: address, HTTP_PROXY: address }) };
  }
  const forever = new AbortController().signal;

  it('tokens and keys of Azure are requested through a tunnel', async () => {
    const { proxy, proxyFor } = await services(true);
    const ask = accountKeys(clock, proxyFor);
    const [login, manager] = ['https://login.azure.test', 'https://management.azure.test'];
    expect(await ask(principal(login), account(manager), { signal: forever })).toBe('a2V5');
    expect(proxy.asked).toEqual([
      'CONNECT login.azure.test:443 as me:my-SECRET',
      'CONNECT management.azure.test:443 as me:my-SECRET',
    ]);
  });

  it('tokens are requested over http with absolute-form requests', async () => {
    const { proxy, proxyFor } = await services(false);
    const credentials = googleKey('http://oauth.google.test:8080/token?a=b');
    const endpoint = 'http://storage.store.test';
    const store = gcsStore({ bucket: 'backups', endpoint, credentials }, { clock, proxyFor });
    onTestFinished(() => store.close());
    expect(textOf(await store.get('key'))).toBe(granted);
    expect(proxy.asked).toEqual([
      'POST http://oauth.google.test:8080/token?a=b as me:my-SECRET',
      'GET http://storage.store.test/storage/v1/b/backups/o/key?alt=media as me:my-SECRET',
    ]);
  });

  it.each([
    [407, 'OBJECT_STORE_BAD_ANSWER', /asks for credentials of its own \(HTTP 407\)\. Give the proxy's credentials/],
    [
      403,
      'OBJECT_STORE_UNAVAILABLE',
      /, by the proxy 127\.0\.0\.1:\d+, cannot be reached: the proxy answers HTTP 403\./,
    ],
  ])('errors of a token service are told apart from a proxy that answers %i', async (refuses, code, text) => {
    const { proxyFor } = await services(true, { refuses });
    const ask = accountKeys(clock, proxyFor);
    const work = ask(principal('https://login.azure.test'), account('https://m.azure.test'), { signal: forever });
    expect(await told(work)).toMatchObject({ code, text: expect.stringMatching(text) });
  });

  it("tokens of Google's other identities are requested by Google's own library, which reads the same variables", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lateen-proxies-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'token'), 'web-token');
    const { proxy, address, proxyFor } = await services(true);
    vi.stubEnv('HTTPS_PROXY', address);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const json = JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: 'https://sts.google.test/v1/token',
      credential_source: { file: join(directory, 'token') },
    });
    const place = { bucket: 'backups', endpoint: 'https://storage.store.test', caPem: ours.cert };
    const store = gcsStore({ ...place, credentials: { kind: 'externalAccount', json } }, { clock, proxyFor });
    onTestFinished(() => store.close());
    expect(textOf(await store.get('key'))).toBe(granted);
    expect(proxy.asked).toEqual([
      'CONNECT sts.google.test:443 as me:my-SECRET',
      'CONNECT storage.store.test:443 as me:my-SECRET',
    ]);
  });

  it('a token request ends when the caller aborts it, also while the proxy does not answer', async () => {
    const silent = await badServer({ raw: () => {} });
    const proxyFor = environmentProxies({ HTTPS_PROXY: `127.0.0.1:${silent.port}` });
    const stop = new AbortController();
    const [login, manager] = ['https://login.azure.test', 'https://management.azure.test'];
    const work = accountKeys(clock, proxyFor)(principal(login), account(manager), { signal: stop.signal });
    work.catch(() => {});
    await silent.wasAsked(1);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(work).rejects.toBe(reason);
  });

  it("keys of AWS are requested through the proxy from a remote service, and never from the node's own", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lateen-proxies-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'token'), 'web-token');
    const { proxy, proxyFor } = await services(false);
    const role = {
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/r',
      AWS_WEB_IDENTITY_TOKEN_FILE: join(directory, 'token'),
      AWS_ENDPOINT_URL_STS: 'http://sts.aws.test',
    };
    const far = environmentKeys(role, { clock, proxyFor });
    expect((await told(far.keys())).text).toMatch('answers without keys');
    expect(proxy.asked).toEqual(['POST http://sts.aws.test/ as me:my-SECRET']);
    const near = environmentKeys(
      { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://metadata.aws.test' },
      { clock, proxyFor },
    );
    expect((await told(near.keys())).text).toMatch('cannot be reached');
    expect(proxy.asked).toHaveLength(1);
  });
});
