import { configMapType, type KubeObject } from '@lateen/api-types';
import { aConfigMap, aDataUpload, aSecret, fakeCluster } from '@lateen/testing';
import { expect, it } from 'vitest';
import { titleOfSeen } from './foreign-among.ts';
import { goesWithNamespace, namespaceContents, objectsPerKindMax } from './namespace-contents.ts';

const signal = new AbortController().signal;
const kind = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'pods',
  kind: 'PodMetrics',
  namespaced: true,
  verbs: ['get', 'list', 'delete'],
  shortNames: [],
  singular: 'pod',
  categories: [],
  subresources: [],
  preferred: true,
};

it('reads the kinds that the namespace controller deletes, each in one version', () => {
  expect(goesWithNamespace(kind)).toBe(true);
  expect(goesWithNamespace({ ...kind, verbs: ['get', 'list'] })).toBe(false);
  expect(goesWithNamespace({ ...kind, verbs: ['create'] })).toBe(false);
  expect(goesWithNamespace({ ...kind, namespaced: false })).toBe(false);
  expect(goesWithNamespace({ ...kind, preferred: false })).toBe(false);
  expect(goesWithNamespace({ ...kind, group: 'velero.io' })).toBe(false);
  expect(goesWithNamespace({ ...kind, group: '', resource: 'events' })).toBe(false);
  expect(goesWithNamespace({ ...kind, group: 'events.k8s.io', resource: 'events' })).toBe(false);
});

it('reads only the metadata of one namespace, and returns an object that two groups serve once', async () => {
  const twice = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'i', namespace: 'velero' } };
  const objects: KubeObject[] = [
    aSecret({ name: 's', namespace: 'velero', values: { key: 'v' } }),
    aConfigMap({ name: 'elsewhere', namespace: 'shop', data: {} }),
    aDataUpload({ name: 'up', namespace: 'velero' }),
    { ...twice, metadata: { ...twice.metadata, uid: 'same' } },
    { ...twice, apiVersion: 'extensions/v1beta1', metadata: { ...twice.metadata, uid: 'same' } },
  ];
  const cluster = fakeCluster({ objects });
  const { objects: seen, unseen } = await namespaceContents(cluster, 'velero', signal);
  expect([seen.map(titleOfSeen).sort(), unseen]).toEqual([['Ingress i', 'Secret s'], []]);
  const asked = cluster.calls.filter(({ verb }) => verb === 'list');
  expect(asked.every(({ options }) => (options as { metadataOnly?: boolean }).metadataOnly === true)).toBe(true);
});

it('reports kinds that it may not list and kinds with too many objects', async () => {
  const cluster = fakeCluster({ objects: [aConfigMap({ name: 'c', namespace: 'velero', data: {} })] });
  cluster.failOnce('list', configMapType, 'KUBE_FORBIDDEN');
  const refused = await namespaceContents(cluster, 'velero', signal);
  expect(refused).toEqual({ objects: [], unseen: [expect.stringMatching(/^configmaps \(.+\)$/)] });
  for (let at = 0; at <= objectsPerKindMax; at++)
    cluster.put(aConfigMap({ name: `c-${at}`, namespace: 'velero', data: {} }));
  const many = await namespaceContents(cluster, 'velero', signal);
  expect([many.objects.length, many.unseen]).toEqual([objectsPerKindMax, ['configmaps (more than 5000)']]);
});

it('treats a kind whose definition was just deleted as empty', async () => {
  const cluster = fakeCluster();
  cluster.failOnce('list', configMapType, 'KUBE_NOT_FOUND');
  expect(await namespaceContents(cluster, 'velero', signal)).toEqual({ objects: [], unseen: [] });
});
