import type { ResourceType } from '@lateen/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers } from './behaviours.ts';
import { configMap, configMaps, emptyList, type FaultWorld, faultWorld, type MakeFaultApi } from './fault-harness.ts';

const clusterRoles: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};

export function describeWire(makeApi: MakeFaultApi): void {
  describe('the wire format', () => {
    let world: FaultWorld;
    beforeEach(async () => {
      world = await faultWorld(makeApi);
    });
    afterEach(() => world.end());
    const sent = () => world.server.received.map(({ method, url }) => `${method} ${url}`);
    const key = { namespace: 'ns', name: 'a' };

    it('keeps every number as it was sent', async () => {
      const text =
        '{"apiVersion":"v1","kind":"Odd","metadata":{"name":"a","namespace":"ns","future":{"x":[]}},' +
        '"spec":{"big":9007199254740993,"one":1.0,"exp":1e3,"small":0.1,"minus":-0,"text":"9007199254740993.0","plain":12}}';
      world.server.next(answers(200, text), answers(200, text));
      const object = await world.api.get(configMaps, key, { numbers: 'exact' });
      await world.api.update(configMaps, object);
      expect(world.server.received[1]?.body).toBe(text);
    });

    it('keeps numbers in a list as they were sent', async () => {
      const item =
        '{"apiVersion":"v1","kind":"Odd","metadata":{"name":"a","namespace":"ns"},"spec":{"big":-9223372036854775808}}';
      const list = `{"kind":"OddList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${item}]}`;
      world.server.next(answers(200, list), answers(201, item));
      const { items } = await world.api.list(configMaps, { numbers: 'exact' });
      await world.api.create(configMaps, items[0] ?? configMap('none'));
      expect(world.server.received[1]?.body).toBe(item);
    });

    it('keeps the case of names and encodes special characters in a path', async () => {
      world.server.always(answers(200, configMap('a')));
      await world.api.get(clusterRoles, { name: 'MyRole' });
      await world.api.get(clusterRoles, { name: 'system:Aggregate x?' });
      expect(sent()).toEqual([
        'GET /apis/rbac.authorization.k8s.io/v1/clusterroles/MyRole',
        'GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system%3AAggregate%20x%3F',
      ]);
    });

    it.each(['', '.', '..', 'a/status', 'a%2Fstatus'])(
      'never sends the name "%s", which would mean something else',
      async (name) => {
        const error = await world.failure(world.api.delete(configMaps, { namespace: 'ns', name }));
        expect(error.code).toBe('KUBE_BAD_REQUEST');
        expect(world.server.received).toHaveLength(0);
      },
    );

    it('does not send a call on a namespaced kind without a namespace', async () => {
      expect((await world.failure(world.api.get(configMaps, { name: 'a' }))).message).toContain('no namespace given');
    });

    it('sends paging and selectors, and completes the items of built-in kinds', async () => {
      world.server.next(
        answers(200, {
          ...emptyList,
          metadata: { resourceVersion: '7', continue: 'tok&n' },
          items: [{ metadata: { name: 'a' } }],
        }),
      );
      world.server.next(answers(200, emptyList));
      const page = await world.api.list(configMaps, { labelSelector: 'a in (b,c)', fieldSelector: 'metadata.name=x' });
      expect(page).toEqual({
        items: [{ metadata: { name: 'a' }, apiVersion: 'v1', kind: 'ConfigMap' }],
        resourceVersion: '7',
        continue: 'tok&n',
      });
      await world.api.list(configMaps, { namespace: 'ns', limit: 2, continue: 'tok&n', resourceVersion: '7' });
      expect(sent()).toEqual([
        'GET /api/v1/configmaps?labelSelector=a%20in%20(b%2Cc)&fieldSelector=metadata.name%3Dx&limit=500',
        'GET /api/v1/namespaces/ns/configmaps?limit=2&continue=tok%26n',
      ]);
    });

    it('writes with the verb, the content type and the parameters of the API', async () => {
      world.server.always(answers(200, configMap('a')));
      await world.api.create(configMaps, configMap('a'), { dryRun: true, fieldManager: 'me' });
      await world.api.update(configMaps, configMap('a'), { subresource: 'status' });
      await world.api.patch(configMaps, key, { type: 'merge', body: {} });
      await world.api.patch(configMaps, key, { type: 'json', body: [] });
      await world.api.patch(configMaps, key, { type: 'strategic', body: {} });
      await world.api.patch(configMaps, key, { type: 'apply', body: {}, force: true });
      await world.api.delete(configMaps, key, { propagationPolicy: 'Foreground', preconditions: { uid: 'u' } });
      const path = '/api/v1/namespaces/ns/configmaps';
      expect(
        world.server.received.map(({ method, url, headers }) => [`${method} ${url}`, headers['content-type']]),
      ).toEqual([
        [`POST ${path}?fieldManager=me&dryRun=All`, 'application/json'],
        [`PUT ${path}/a/status`, 'application/json'],
        [`PATCH ${path}/a`, 'application/merge-patch+json'],
        [`PATCH ${path}/a`, 'application/json-patch+json'],
        [`PATCH ${path}/a`, 'application/strategic-merge-patch+json'],
        [`PATCH ${path}/a?fieldManager=lateen&force=true`, 'application/apply-patch+yaml'],
        [`DELETE ${path}/a`, 'application/json'],
      ]);
      expect(JSON.parse(world.server.received[6]?.body ?? '')).toEqual({
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u' },
      });
    });

    it('streams a log unchanged', async () => {
      world.server.next(answers(200, 'line 1\nline 2', { 'content-type': 'text/plain' }));
      const parts: Uint8Array[] = [];
      for await (const part of world.api.stream(key, { container: 'c', follow: true, tailLines: 5 })) parts.push(part);
      expect(Buffer.concat(parts).toString()).toBe('line 1\nline 2');
      expect(sent()).toEqual(['GET /api/v1/namespaces/ns/pods/a/log?container=c&follow=true&tailLines=5']);
    });

    it('reuses its connections', async () => {
      world.server.always(answers(200, emptyList));
      for (let call = 0; call < 20; call++) await world.api.list(configMaps);
      // The next request may begin before the previous one has released its connection.
      expect(new Set(world.server.received.map(({ connection }) => connection)).size).toBeLessThanOrEqual(2);
    });
  });
}
