import { configMapType } from '@lateen/api-types';
import type { ResourceType, Unstructured } from '@lateen/kube';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { describe, expect, it } from 'vitest';
import { base, describeWithApiServer } from './with-api-server.ts';

const serviceAccounts: ResourceType<Unstructured> = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

await describeWithApiServer('kube-client on a real kube-apiserver', (under) => {
  const configMap = (namespace: string, name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
  });

  describe('discovery', () => {
    it('lists everything that the server serves in one call', async () => {
      const types = await under.kube.resourceTypes();
      expect(types.length).toBeGreaterThan(50);
      expect(types.find((type) => type.resource === 'pods')).toMatchObject({
        group: '',
        version: 'v1',
        kind: 'Pod',
        namespaced: true,
        shortNames: ['po'],
        singular: 'pod',
        preferred: true,
        subresources: expect.arrayContaining(['log', 'exec', 'status']),
      });
      expect(types.every((type) => type.kind !== '' && type.resource !== '' && !type.resource.includes('/'))).toBe(
        true,
      );
    });

    it.each([
      ['Pod', 'pods'],
      ['po', 'pods'],
      ['deploy', 'deployments.apps'],
      ['DEPLOYMENT', 'deployments.apps'],
      ['deployments.apps', 'deployments.apps'],
      ['deployments.v1.apps', 'deployments.apps'],
      ['apps/v1/Deployment', 'deployments.apps'],
      ['v1/Event', 'events'],
      ['events', 'events'],
      ['events.events.k8s.io', 'events.events.k8s.io'],
      ['storageclass', 'storageclasses.storage.k8s.io'],
    ])('parses %s', async (query, expected) => {
      const { resource, group } = await under.kube.findResourceType(query);
      expect(group === '' ? resource : `${resource}.${group}`).toBe(expected);
    });

    it('reports an unknown kind', async () => {
      await expect(under.kube.findResourceType('nonsense')).rejects.toMatchObject({
        code: 'KUBE_RESOURCE_UNKNOWN',
        message: 'the API server has no resource type "nonsense"',
      });
    });
  });

  it('passes other requests through', async () => {
    expect(await under.kube.raw({ path: '/readyz' })).toBe('ok');
    expect(JSON.parse(await under.kube.raw({ path: '/version' }))).toMatchObject({ major: '1' });
    await expect(under.kube.raw({ path: '/nowhere' })).rejects.toMatchObject({ code: 'KUBE_NOT_FOUND' });
  });

  it('names the missing permission to a user with a token and no permissions', async () => {
    const namespace = await under.namespace();
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'nobody' } };
    await under.kube.create(serviceAccounts, account);
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace, name: 'nobody' },
      spec: {},
    };
    const { status } = await under.kube.create(serviceAccounts, request, { subresource: 'token' });
    const { token } = status as { token: string };
    const nobody = kubeClient({ ...base, config: { ...under.config, user: { token } } });
    const liar = kubeClient({ ...base, config: { ...under.config, user: { token: 'wrong' } } });
    try {
      await expect(nobody.list(configMapType, { namespace })).rejects.toMatchObject({
        code: 'KUBE_FORBIDDEN',
        message: expect.stringContaining(`system:serviceaccount:${namespace}:nobody`),
        nextStep: `Grant the right to list configmaps in namespace ${namespace} with a Role and RoleBinding`,
      });
      await expect(liar.list(configMapType)).rejects.toMatchObject({ code: 'KUBE_UNAUTHORIZED' });
    } finally {
      await nobody.close();
      await liar.close();
    }
  });

  it('creates 500 objects in parallel over few connections, and lists all of them', async () => {
    const namespace = await under.namespace();
    const names = Array.from({ length: 500 }, (_, n) => `m-${n}`);
    const bulk = under.kube.withPriority('bulk');
    await Promise.all(names.map((name) => bulk.create(configMapType, configMap(namespace, name))));
    const seen: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: { items: { metadata: { name?: string } }[]; continue?: string } = await bulk.list(configMapType, {
        namespace,
        limit: 90,
        ...(next === '' ? {} : { continue: next }),
      });
      seen.push(...page.items.map(({ metadata }) => metadata.name ?? ''));
      next = page.continue;
    }
    expect(seen.filter((name) => name.startsWith('m-')).sort()).toEqual(names.sort());
  });

  it('survives a server that does not answer for a moment, and reports a call that must not be repeated', async () => {
    const namespace = await under.namespace();
    await under.kube.create(configMapType, configMap(namespace, 'before'));
    process.kill(under.server.pids.apiServer, 'SIGSTOP');
    const read = under.kube.get(configMapType, { namespace, name: 'before' });
    const write = under.kube.create(configMapType, configMap(namespace, 'during'));
    await base.clock.sleep(3_000);
    process.kill(under.server.pids.apiServer, 'SIGCONT');
    expect((await read).metadata.name).toBe('before');
    expect((await write).metadata.name).toBe('during');
  });

  it('reports clearly that no server answers', async () => {
    const config = { ...under.config, server: 'https://127.0.0.1:1' };
    const kube = kubeClient({ ...base, config, limits: { retry: { attemptsMax: 2, budgetMs: 1_000, backoff } } });
    await expect(kube.list(configMapType)).rejects.toMatchObject({
      code: 'KUBE_UNAVAILABLE',
      message: 'cannot list configmaps at the API server https://127.0.0.1:1: connection refused',
      nextStep: 'Check that the API server is running and that this address is right',
    });
    await kube.close();
  });

  it('cannot run a command in a pod that does not exist, and names the pod', async () => {
    const namespace = await under.namespace();
    const call = under.kube.exec({ namespace, name: 'no-pod' }, 'main', ['true']);
    await expect(call).rejects.toMatchObject({
      code: 'KUBE_EXEC_FAILED',
      message: expect.stringContaining(`${namespace}/no-pod`),
      details: { httpStatus: 404 },
    });
  });

  it('uses the kubeconfig of KUBECONFIG', async () => {
    const config = await loadKubeConfig({ env: { KUBECONFIG: under.server.kubeconfig } });
    expect(config).toMatchObject({ server: under.server.url, namespace: 'default' });
  });
});

const backoff = { firstMs: 100, maxMs: 100, factor: 1, jitter: 0 };
