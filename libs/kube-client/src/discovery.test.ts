import { silentLogger } from '@lateen/kernel';
import {
  behaviours,
  FakeClock,
  type FaultServer,
  faultServer,
  type ReceivedRequest,
  seededRandom,
} from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configForTests } from './config-for-tests.ts';
import { type KubeClient, kubeClient } from './kube-client.ts';

const podEntry = {
  resource: 'pods',
  responseKind: { group: '', version: '', kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  verbs: ['get', 'list'],
  shortNames: ['po'],
  subresources: [{ subresource: 'log', responseKind: { kind: 'Pod' }, verbs: ['get'] }],
};
const kind = (resource: string, name: string) => ({
  resource,
  responseKind: { kind: name },
  scope: 'Cluster',
  verbs: ['get'],
});
const group = (name: string, versions: Record<string, object[]>) => ({
  metadata: { name },
  versions: Object.entries(versions).map(([version, resources]) => ({ version, resources })),
});
const listOf = (...items: object[]) => ({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });

const aggregated = {
  '/api': listOf(group('', { v1: [podEntry, kind('events', 'Event')] })),
  '/apis': listOf(
    group('events.k8s.io', { v1: [kind('events', 'Event')] }),
    group('velero.io', {
      v1: [kind('backups', 'Backup')],
      v2alpha1: [kind('datauploads', 'DataUpload'), kind('backups', 'Backup')],
    }),
  ),
};

const legacy = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'events.k8s.io', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
      {
        name: 'velero.io',
        versions: [{ version: 'v2alpha1' }, { version: 'v1' }],
        preferredVersion: { version: 'v1' },
      },
      { name: 'metrics.k8s.io', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
    ],
  },
  '/api/v1': {
    kind: 'APIResourceList',
    resources: [
      { name: 'pods', singularName: 'pod', kind: 'Pod', namespaced: true, verbs: ['get', 'list'], shortNames: ['po'] },
      { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] },
      { name: 'events', kind: 'Event', namespaced: false, verbs: ['get'] },
    ],
  },
  '/apis/events.k8s.io/v1': { resources: [{ name: 'events', kind: 'Event', namespaced: false, verbs: ['get'] }] },
  '/apis/velero.io/v1': { resources: [{ name: 'backups', kind: 'Backup', namespaced: false, verbs: ['get'] }] },
  '/apis/velero.io/v2alpha1': {
    resources: [
      { name: 'datauploads', kind: 'DataUpload', namespaced: false, verbs: ['get'] },
      { name: 'backups', kind: 'Backup', namespaced: false, verbs: ['get'] },
    ],
  },
};

describe('discovery', () => {
  let server: FaultServer;
  let kube: KubeClient;
  let clock: FakeClock;
  beforeEach(async () => {
    server = await faultServer();
    clock = new FakeClock();
    const config = configForTests(server);
    const once = { attemptsMax: 1, budgetMs: 0, backoff: { firstMs: 1, maxMs: 1, factor: 1, jitter: 0 } };
    kube = kubeClient({ config, clock, random: seededRandom(1), log: silentLogger, limits: { retry: once } });
  });
  afterEach(async () => {
    await server.close();
    await kube.close();
  });
  const serve = (documents: Record<string, object>) =>
    server.always((response, request) => {
      const body = documents[request.url];
      const behaviour =
        body === undefined ? behaviours.refuses(503, 'ServiceUnavailable') : behaviours.answers(200, body);
      return behaviour(response, request);
    });
  const asked = () => server.received.map(({ url }: ReceivedRequest) => url).sort();

  it('returns the same types from the aggregated and the legacy form, the preferred version first', async () => {
    serve(aggregated);
    const inOne = await kube.resourceTypes();
    expect(asked()).toEqual(['/api', '/apis']);
    expect(server.received[0]?.headers.accept).toContain('as=APIGroupDiscoveryList');
    serve(legacy);
    expect(await kube.resourceTypes({ fresh: true })).toEqual(inOne);
    expect(inOne.map(({ group, version, resource, preferred }) => [group, version, resource, preferred])).toEqual([
      ['', 'v1', 'pods', true],
      ['', 'v1', 'events', true],
      ['events.k8s.io', 'v1', 'events', true],
      ['velero.io', 'v1', 'backups', true],
      ['velero.io', 'v2alpha1', 'datauploads', true],
      ['velero.io', 'v2alpha1', 'backups', false],
    ]);
  });

  it('omits a group whose server is down', async () => {
    serve(legacy);
    expect((await kube.resourceTypes()).some(({ group }) => group === 'metrics.k8s.io')).toBe(false);
  });

  it.each([
    ['Pod', 'pods', '', 'v1'],
    ['po', 'pods', '', 'v1'],
    ['PODS', 'pods', '', 'v1'],
    ['Event', 'events', '', 'v1'],
    ['events.events.k8s.io', 'events', 'events.k8s.io', 'v1'],
    ['events.v1.events.k8s.io', 'events', 'events.k8s.io', 'v1'],
    ['backup', 'backups', 'velero.io', 'v1'],
    ['velero.io/v2alpha1/Backup', 'backups', 'velero.io', 'v2alpha1'],
    ['v1/Pod', 'pods', '', 'v1'],
  ])('finds %s', async (query, resource, group, version) => {
    serve(aggregated);
    expect(await kube.findResourceType(query)).toMatchObject({ resource, group, version });
  });

  it('finds a type by group and kind, in the preferred or the given version', async () => {
    serve(aggregated);
    expect(await kube.findResourceType({ group: 'velero.io', kind: 'Backup' })).toMatchObject({ version: 'v1' });
    const given = { group: 'velero.io', version: 'v2alpha1', kind: 'Backup' };
    expect(await kube.findResourceType(given)).toMatchObject({ version: 'v2alpha1' });
    await expect(kube.findResourceType({ group: '', kind: 'backup' })).rejects.toMatchObject({
      code: 'KUBE_RESOURCE_UNKNOWN',
    });
  });

  it('makes one request for many callers, and caches the result', async () => {
    serve(aggregated);
    await Promise.all(Array.from({ length: 20 }, () => kube.findResourceType('Pod')));
    await kube.resourceTypes();
    expect(asked()).toEqual(['/api', '/apis']);
  });

  it('repeats the request for an unknown name, with a limited rate', async () => {
    serve({ ...aggregated, '/apis': listOf() });
    await kube.resourceTypes();
    await clock.advance(10_000);
    await expect(kube.findResourceType('Backup')).rejects.toMatchObject({ code: 'KUBE_RESOURCE_UNKNOWN' });
    await expect(kube.findResourceType('Backup')).rejects.toMatchObject({ code: 'KUBE_RESOURCE_UNKNOWN' });
    expect(server.received).toHaveLength(4);
    serve(aggregated);
    await clock.advance(10_000);
    expect(await kube.findResourceType('Backup')).toMatchObject({ group: 'velero.io' });
  });

  it('does not cache a failure', async () => {
    serve({});
    await expect(kube.resourceTypes()).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    serve(aggregated);
    expect((await kube.resourceTypes()).length).toBe(6);
  });
});
