import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubeContextNames, type LoadKubeConfigOptions, loadKubeConfig } from './load-kube-config.ts';

const kubeconfig = (parts: object = {}) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [
      { name: 'dev', cluster: { server: 'https://dev:6443/', 'certificate-authority': 'ca.crt' } },
      { name: 'prod', cluster: { server: 'https://prod:6443' } },
    ],
    users: [{ name: 'me', user: { token: 'secret-token', 'client-key': '/abs/key' } }],
    contexts: [
      { name: 'dev', context: { cluster: 'dev', user: 'me', namespace: 'velero' } },
      { name: 'prod', context: { cluster: 'prod', user: 'me' } },
      { name: 'no-user', context: { cluster: 'dev', user: 'gone' } },
      { name: 'no-cluster', context: { cluster: 'gone', user: 'me' } },
    ],
    ...parts,
  });

describe('loadKubeConfig', () => {
  let home = '';
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'lateen-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const file = (name: string, text: string) => {
    const path = join(home, name);
    writeFileSync(path, text);
    return path;
  };
  const failure = async (options: LoadKubeConfigOptions) => {
    const error = await loadKubeConfig(options).then(
      (config) => expect.unreachable(`it was loaded: ${config.source}`),
      (reason: { code: string; message: string; nextStep: string }) => reason,
    );
    expect(error.message).not.toContain('secret-token');
    expect(error.nextStep).toMatch(/\w/);
    return error;
  };

  it('prefers the given path', async () => {
    const path = file('config', kubeconfig());
    expect(await loadKubeConfig({ path, env: { KUBECONFIG: '/nowhere', HOME: home } })).toMatchObject({
      server: 'https://dev:6443',
      context: 'dev',
      namespace: 'velero',
      source: path,
      cluster: { 'certificate-authority': join(home, 'ca.crt') },
      user: { token: 'secret-token', 'client-key': '/abs/key' },
    });
  });

  it('uses another context when asked for it, with the namespace default', async () => {
    const path = file('config', kubeconfig());
    const config = await loadKubeConfig({ path, env: {}, context: 'prod' });
    expect(config).toMatchObject({ server: 'https://prod:6443', context: 'prod', namespace: 'default' });
  });

  it('merges the files of KUBECONFIG: the first wins, missing ones are skipped', async () => {
    const first = file('a', kubeconfig({ 'current-context': 'prod', contexts: [], users: [] }));
    const second = file('b', kubeconfig({ clusters: [{ name: 'prod', cluster: { server: 'https://other' } }] }));
    const config = await loadKubeConfig({ env: { KUBECONFIG: `${first}:/nowhere:${second}` } });
    expect(config).toMatchObject({ context: 'prod', server: 'https://prod:6443', user: { token: 'secret-token' } });
  });

  it('falls back to ~/.kube/config', async () => {
    mkdirSync(join(home, '.kube'));
    file('.kube/config', kubeconfig());
    expect((await loadKubeConfig({ env: { HOME: home } })).source).toBe(join(home, '.kube', 'config'));
  });

  it('reads the file again on reload, and keeps its context', async () => {
    const path = file('config', kubeconfig());
    const config = await loadKubeConfig({ path, env: {} });
    writeFileSync(path, kubeconfig({ 'current-context': 'prod', users: [{ name: 'me', user: { token: 'new' } }] }));
    expect(await config.reload()).toMatchObject({ context: 'dev', user: { token: 'new' } });
  });

  it.each([
    ['a missing path', () => ({ path: join(home, 'none') }), 'KUBECONFIG_MISSING', 'none'],
    ['a missing file in KUBECONFIG', () => ({ env: { KUBECONFIG: '/nowhere/k' } }), 'KUBECONFIG_MISSING', '/nowhere/k'],
    ['nothing at all', () => ({ env: { HOME: home } }), 'KUBECONFIG_MISSING', '.kube/config'],
    ['a folder', () => ({ path: home }), 'KUBECONFIG_UNREADABLE', 'cannot be read'],
    ['invalid YAML', () => ({ path: file('c', 'a: [secret-token\nb: }') }), 'KUBECONFIG_INVALID', 'it is not YAML'],
    ['a list', () => ({ path: file('c', '- a') }), 'KUBECONFIG_INVALID', 'it holds no mapping'],
    ['an empty file', () => ({ path: file('c', '') }), 'KUBECONFIG_INVALID', 'c'],
    [
      'clusters that are not a list',
      () => ({ path: file('c', 'clusters: {}') }),
      'KUBECONFIG_INVALID',
      'clusters is not a list',
    ],
    [
      'a cluster without a name',
      () => ({ path: file('c', 'clusters: [{}]') }),
      'KUBECONFIG_INVALID',
      'clusters[0] has no name',
    ],
    [
      'no current context',
      () => ({ path: file('c', kubeconfig({ 'current-context': '' })) }),
      'KUBECONFIG_INVALID',
      'names no current context',
    ],
    [
      'an unknown context',
      () => ({ path: file('c', kubeconfig()), context: 'test' }),
      'KUBECONFIG_INVALID',
      'has no context "test"',
    ],
    [
      'a context with a missing cluster',
      () => ({ path: file('c', kubeconfig()), context: 'no-cluster' }),
      'KUBECONFIG_INVALID',
      'leads to no cluster',
    ],
    [
      'a context with a missing user',
      () => ({ path: file('c', kubeconfig()), context: 'no-user' }),
      'KUBECONFIG_INVALID',
      'it names "gone"',
    ],
  ])('reports the problem: %s', async (_what, options: () => Partial<LoadKubeConfigOptions>, code, text) => {
    expect(await failure({ env: {}, ...options() })).toMatchObject({ code, message: expect.stringContaining(text) });
  });

  it('lists the contexts', async () => {
    const { nextStep } = await failure({ path: file('c', kubeconfig()), env: {}, context: 'test' });
    expect(nextStep).toContain('dev, prod');
  });

  it.skipIf(process.getuid?.() === 0)('reports a file that it may not read', async () => {
    const path = file('c', kubeconfig());
    chmodSync(path, 0);
    expect((await failure({ path, env: {} })).code).toBe('KUBECONFIG_UNREADABLE');
  });

  it('lists the contexts of the same files, and none without a file', async () => {
    const [one, two] = [
      file('one', kubeconfig()),
      file('two', kubeconfig({ contexts: [{ name: 'more', context: {} }] })),
    ];
    const all = ['more', 'dev', 'prod', 'no-user', 'no-cluster'];
    const env = { KUBECONFIG: `${one}:${join(home, 'gone')}:${two}` };
    expect((await kubeContextNames({ env })).toSorted()).toEqual(all.toSorted());
    expect(await kubeContextNames({ path: two, env })).toEqual(['more']);
    expect(await kubeContextNames({ env: { HOME: home } })).toEqual([]);
    await expect(kubeContextNames({ path: file('bad', '- 1'), env: {} })).rejects.toMatchObject({
      code: 'KUBECONFIG_INVALID',
    });
  });
});
