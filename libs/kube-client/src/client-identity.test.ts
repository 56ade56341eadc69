import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@lateen/kernel';
import { behaviours, FakeClock, type FaultServer, faultServer, seededRandom, testCertificates } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configForTests } from './config-for-tests.ts';
import { type KubeClient, type KubeClientOptions, kubeClient } from './kube-client.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts';

const { answers, streams } = behaviours;
const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true } as const;
const emptyList = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] };
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the identity of kubeClient', () => {
  let server: FaultServer;
  let directory = '';
  const open: KubeClient[] = [];
  beforeEach(async () => {
    server = await faultServer();
    directory = await mkdtemp(join(tmpdir(), 'lateen-client-'));
  });
  afterEach(async () => {
    await server.close();
    for (const client of open.splice(0)) await client.close();
    await rm(directory, { recursive: true });
  });

  function client({
    user,
    cluster,
    ...options
  }: Partial<KubeClientOptions> & { user?: UserEntry; cluster?: Partial<ClusterEntry> } = {}) {
    const config = configForTests(server, { user, cluster });
    const made = kubeClient({ config, clock: systemClock, random: seededRandom(1), log: silentLogger, ...options });
    open.push(made);
    return made;
  }

  it('uses its client certificate, and a rotated one on a new connection', async () => {
    const [one, two] = testCertificates().clients;
    const user = { 'client-certificate': join(directory, 'tls.crt'), 'client-key': join(directory, 'tls.key') };
    const rotateTo = async ({ cert, key }: { cert: string; key: string }) => {
      await writeFile(user['client-certificate'], cert);
      await writeFile(user['client-key'], key);
    };
    await rotateTo(one);
    const clock = new FakeClock();
    const kube = client({ user, clock });
    const stream = streams();
    server.next(stream.behaviour, answers(200, emptyList), answers(200, emptyList));
    const watching = kube.watch(configMaps, { resourceVersion: '1', timeoutSeconds: 300 })[Symbol.asyncIterator]();
    const first = watching.next();
    const { write, end } = await stream.opened;
    await rotateTo(two);
    await kube.list(configMaps);
    await clock.advance(60_000);
    await kube.list(configMaps);
    expect(server.received.map(({ clientName }) => clientName)).toEqual(['client-1', 'client-1', 'client-2']);
    // The watch on the old connection pool continues to its end.
    await write(behaviours.bookmarkLine('9'));
    expect((await first).value).toEqual({ type: 'BOOKMARK', resourceVersion: '9' });
    end();
    expect((await watching.next()).done).toBe(true);
  });

  it.each([
    ['a token', { token: 't' }, { authorization: 'Bearer t' }],
    ['a password', { username: 'u', password: 'p' }, { authorization: `Basic ${base64('u:p')}` }],
    ['impersonation', { token: 't', as: 'somebody' }, { authorization: 'Bearer t', 'impersonate-user': 'somebody' }],
  ])('sends %s', async (_what, user, headers) => {
    server.next(answers(200, emptyList));
    await client({ user }).list(configMaps);
    expect(server.received[0]?.headers).toMatchObject(headers);
  });

  it('runs an exec plugin once, and again after a 401', async () => {
    const script = join(directory, 'plugin.cjs');
    await writeFile(
      script,
      `const fs = require('node:fs'); const path = ${JSON.stringify(join(directory, 'count'))};
         const count = fs.existsSync(path) ? Number(fs.readFileSync(path)) + 1 : 1; fs.writeFileSync(path, String(count));
         console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'token-' + count } }));`,
    );
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [script] };
    const kube = client({ user: { exec } });
    server.next(
      answers(200, emptyList),
      answers(200, emptyList),
      behaviours.refuses(401, 'Unauthorized'),
      answers(200, emptyList),
    );
    for (let call = 0; call < 3; call++) await kube.list(configMaps);
    const tokens = server.received.map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  it('names an exec plugin that fails', async () => {
    const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/nowhere/plugin' } };
    await expect(client({ user }).list(configMaps)).rejects.toMatchObject({
      code: 'KUBE_PLUGIN_FAILED',
      message: expect.stringContaining('/nowhere/plugin'),
      nextStep: expect.stringContaining('context "test"'),
    });
  });

  it('skips certificate verification only when configured', async () => {
    const other = { 'certificate-authority-data': base64(testCertificates().otherCa) };
    await expect(client({ cluster: other }).list(configMaps)).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    server.next(answers(200, emptyList));
    const cluster = { 'certificate-authority-data': '', 'insecure-skip-tls-verify': true };
    expect((await client({ cluster }).list(configMaps)).items).toEqual([]);
  });

  it('keeps the path of a server address', async () => {
    server.next(answers(200, emptyList));
    await client({ cluster: { server: `${server.url}/k8s/clusters/c-1` } }).list(configMaps);
    expect(server.received[0]?.url).toBe('/k8s/clusters/c-1/api/v1/configmaps?limit=500');
  });
});
