import type { ResourceType, Unstructured } from '@lateen/kube';
import { parseExact, stringify } from '@lateen/kube-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { base, describeWithApiServer } from './with-api-server.ts';

const definitions: ResourceType<Unstructured> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

const odds: ResourceType<Unstructured> = {
  group: 'fidelity.lateen.dev',
  version: 'v1',
  resource: 'odds',
  kind: 'Odd',
  namespaced: true,
};

const keepsAll = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const oddDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'odds.fidelity.lateen.dev' },
  spec: {
    group: 'fidelity.lateen.dev',
    scope: 'Namespaced',
    names: { kind: 'Odd', listKind: 'OddList', plural: 'odds', singular: 'odd', shortNames: ['od'] },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: keepsAll } }],
  },
};

/** Numbers that a conversion to double or a careless printer would change, and unknown fields. */
const oddText =
  '{"apiVersion":"fidelity.lateen.dev/v1","kind":"Odd","metadata":{"name":"odd"},"spec":{' +
  '"big":9007199254740993,"low":-9223372036854775808,"high":9223372036854775807,"zero":0,"half":0.5,"tenth":0.1,' +
  '"tiny":1.5e-7,"huge":1e+21,"unknown":{"nested":[{"x":null},[],{}],"text":"9007199254740993.0 é 😀"},"Upper":{"CASE":true}}}';

await describeWithApiServer('fidelity against a real kube-apiserver', (under) => {
  let namespace = '';
  const rawPath = () => `/apis/fidelity.lateen.dev/v1/namespaces/${namespace}/odds`;

  beforeAll(async () => {
    namespace = await under.namespace();
    await under.kube.create(definitions, oddDefinition);
    const served = () =>
      under.kube.list(odds, { limit: 1 }).then(
        () => true,
        () => false,
      );
    while (!(await served())) await base.clock.sleep(100);
  });

  it('finds a kind that was defined after the first discovery, by kind, plural and short name', async () => {
    await expect
      .poll(() => under.kube.findResourceType('Odd').catch(() => undefined), { timeout: 100_000 })
      .toMatchObject(odds);
    expect(await under.kube.findResourceType('od')).toMatchObject({ kind: 'Odd' });
    expect(await under.kube.findResourceType('odds.v1.fidelity.lateen.dev')).toMatchObject({ kind: 'Odd' });
  });

  describe.each(['kube-client', 'kube-in-cluster'] as const)('%s', (name) => {
    const api = () => (name === 'kube-client' ? under.kube : under.inCluster());

    it('returns an object byte for byte as the server stores it, alone and in a list', async () => {
      const object = parseExact(oddText.replace('"name":"odd"', `"name":"${name}"`)) as Unstructured;
      await api().create(odds, object, { namespace });
      const stored = (await under.kube.raw({ path: `${rawPath()}/${name}` })).trimEnd();
      expect(stored).toContain('"big":9007199254740993,');
      expect(stored).toContain('"low":-9223372036854775808,');
      const read = await api().get(odds, { namespace, name }, { numbers: 'exact' });
      expect(stringify(read)).toBe(stored);
      const list = await api().list(odds, { namespace, fieldSelector: `metadata.name=${name}`, numbers: 'exact' });
      expect(stringify(list.items[0])).toBe(stored);
    });

    it('writes an object back without changing anything but its resourceVersion', async () => {
      const before = await api().get(odds, { namespace, name }, { numbers: 'exact' });
      const after = await api().update(odds, {
        ...before,
        metadata: { ...before.metadata, labels: { touched: 'yes' } },
      });
      const stored = (await under.kube.raw({ path: `${rawPath()}/${name}` })).trimEnd();
      const specOf = (text: string) => text.slice(text.indexOf('"spec":'));
      expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      expect(specOf(stored)).toBe(specOf(stringify(before)));
    });
  });

  it('keeps the case of names', async () => {
    const roles = await under.kube.findResourceType('ClusterRole');
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'MyRole' } };
    await under.kube.create(roles, role);
    expect((await under.kube.get(roles, { name: 'MyRole' })).metadata.name).toBe('MyRole');
    await expect(under.kube.get(roles, { name: 'myrole' })).rejects.toMatchObject({ code: 'KUBE_NOT_FOUND' });
    await under.kube.delete(roles, { name: 'MyRole' });
  });
});
