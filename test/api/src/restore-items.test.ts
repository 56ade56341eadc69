import { namespaceType, type Unstructured } from '@lateen/api-types';
import type { ObjectKey, ResourceType } from '@lateen/kube';
import { parseExact, resourcePath, stringify } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { definitionType, untilServed } from './apply-definitions.ts';
import { backUp, restore } from './engine-runs.ts';
import { objectsOfAllKinds } from './restored-objects.ts';
import { base, describeWithApiServer } from './with-api-server.ts';

const core = (kind: string, resource: string): ResourceType<Unstructured> => ({
  group: '',
  version: 'v1',
  kind,
  resource,
  namespaced: true,
});
const configMaps = core('ConfigMap', 'configmaps');
const secrets = core('Secret', 'secrets');
const quotas = core('ResourceQuota', 'resourcequotas');
const deployments: ResourceType<Unstructured> = { ...core('Deployment', 'deployments'), group: 'apps' };
const patience = 60_000;

/** Fields that the server sets on each new object. */
const given = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'namespace'];

await describeWithApiServer('the engine of restores against a real kube-apiserver', (under) => {
  const typeOf = async ({ apiVersion, kind }: Unstructured): Promise<ResourceType<Unstructured>> => {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    return (await under.kube.findResourceType({ group, version, kind })) as unknown as ResourceType<Unstructured>;
  };
  const keyOf = (namespace: string, { metadata }: Unstructured): ObjectKey => ({
    namespace,
    name: metadata.name ?? '',
  });

  async function make(objects: readonly Unstructured[]): Promise<void> {
    for (const object of objects) await under.kube.create(await typeOf(object), object);
  }

  /** A namespace with objects of all kinds, backed up. */
  async function backedUp() {
    const source = await under.namespace();
    const objects = objectsOfAllKinds(source);
    await make(objects);
    const stored = await backUp(under.kube, { includedNamespaces: [source] });
    expect(stored.troubles).toEqual([]);
    return { source, objects, stored };
  }

  /** An object as text, without fields that depend on its namespace. */
  async function textOf(type: ResourceType, key: ObjectKey, source: string): Promise<string> {
    const object = parseExact(await under.kube.raw({ path: resourcePath(type, key) })) as Unstructured;
    const labels = Object.entries(object.metadata.labels ?? {}).filter(([label]) => !label.startsWith('velero.io/'));
    const metadata = Object.entries(object.metadata).filter(([field]) => !given.includes(field));
    const { status: _, ...rest } = object;
    const bare = { ...rest, metadata: { ...Object.fromEntries(metadata), labels: Object.fromEntries(labels) } };
    const text = stringify(bare).replaceAll(String(key.namespace), source);
    // The server sets them when the Service is created.
    return type.kind === 'Service'
      ? text.replace(/"10\.\d+\.\d+\.\d+"/g, '"address"').replace(/"nodePort":\d+/g, '')
      : text;
  }

  it(
    'restores objects of all kinds unchanged into another namespace, and changes nothing when repeated',
    async () => {
      const { source, objects, stored } = await backedUp();
      const target = `${source}-again`;
      const spec = { namespaceMapping: { [source]: target } };
      const first = await restore(under.kube, stored, spec);
      expect(first.troubles).toEqual([]);
      expect(Object.values(first.acts).filter((act) => act !== 'create')).toEqual([]);
      for (const object of objects) {
        // A Job gets a new selector; a pod loses its old token.
        if (object.kind === 'Job' || object.kind === 'Pod') continue;
        const type = await typeOf(object);
        const [was, is] = [
          await textOf(type, keyOf(source, object), source),
          await textOf(type, keyOf(target, object), source),
        ];
        expect(is, object.kind).toBe(was);
      }
      const labels = (await under.kube.get(configMaps, { namespace: target, name: 'config' })).metadata.labels;
      expect(labels).toMatchObject({ 'velero.io/backup-name': 'b', 'velero.io/restore-name': 'again' });
      const second = await restore(under.kube, stored, spec);
      expect(second.troubles).toEqual([]);
      expect(Object.entries(second.acts).filter(([, act]) => act !== 'unchanged')).toEqual([]);
    },
    patience,
  );

  it(
    'predicts what happens to objects that differ, and keeps or changes them as the policy says',
    async () => {
      const { source, stored } = await backedUp();
      const change = async (type: ResourceType, name: string, body: object) =>
        await under.kube.patch(type, { namespace: source, name }, { type: 'merge', body });
      await change(configMaps, 'config', { data: { 'a.b': 'changed' } });
      await change(deployments, 'deployment', { spec: { replicas: 7 } });
      await under.kube.delete(secrets, { namespace: source, name: 'secret' });
      await make([
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'secret', namespace: source },
          type: 'example.com/other',
        },
      ]);
      await under.kube.delete(configMaps, { namespace: source, name: 'sealed' });
      const untouched = {
        'ConfigMap config': 'conflict',
        'Deployment deployment': 'conflict',
        'Secret secret': 'conflict',
      };
      for (const existingResourcePolicy of ['none', 'update']) {
        const spec = { existingResourcePolicy };
        const plan = await restore(under.kube, stored, { ...spec, dryRun: true });
        const done = await restore(under.kube, stored, spec);
        expect(done.acts).toEqual(plan.acts);
        if (existingResourcePolicy === 'none') {
          expect(done.acts).toMatchObject({ ...untouched, 'ConfigMap sealed': 'create', 'Pod pod': 'unchanged' });
          continue;
        }
        expect(done.acts).toMatchObject({
          'ConfigMap config': 'update',
          'Deployment deployment': 'update',
          'Secret secret': 'immutable',
          'ConfigMap sealed': 'unchanged',
        });
      }
      const config = await under.kube.get(configMaps, { namespace: source, name: 'config' });
      expect(config.data).toMatchObject({ 'a.b': 'é <&> "1.0" 9007199254740993' });
    },
    patience,
  );

  it(
    'names what a policy or a quota denies, in the plan and in the restore, and restores the others',
    async () => {
      const { source, stored } = await backedUp();
      for (const name of ['config', 'sealed']) await under.kube.delete(configMaps, { namespace: source, name });
      await under.kube.delete(secrets, { namespace: source, name: 'secret' });
      const admission = (kind: string, spec: object) => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name: `no-config-in-${source}` },
        spec,
      });
      const resourceRules = [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
      ];
      await make([
        admission('ValidatingAdmissionPolicy', {
          matchConstraints: { resourceRules },
          validations: [{ expression: "object.metadata.name != 'config'", message: 'not that one' }],
        }),
        admission('ValidatingAdmissionPolicyBinding', {
          policyName: `no-config-in-${source}`,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': source } } },
        }),
        {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'few', namespace: source },
          spec: { hard: { 'count/secrets': '0' } },
        },
      ]);
      const status = { hard: { 'count/secrets': '0' }, used: { 'count/secrets': '0' } };
      const quota = { namespace: source, name: 'few' };
      await under.kube.patch(quotas, quota, { type: 'merge', body: { status } }, { subresource: 'status' });
      const denied = { 'ConfigMap config': 'denied', 'Secret secret': 'denied', 'ConfigMap sealed': 'create' };
      // Admission learns of both through watches.
      await expect
        .poll(async () => (await restore(under.kube, stored, { dryRun: true })).acts, {
          timeout: 100_000,
          interval: 500,
        })
        .toMatchObject(denied);
      const done = await restore(under.kube, stored, {});
      expect(done.acts).toMatchObject({ ...denied, 'Service web': 'unchanged' });
      const who = done.outcomes.filter(({ act }) => act === 'denied').map(({ by }) => by);
      expect(who.sort()).toEqual(['ResourceQuota few', `ValidatingAdmissionPolicy no-config-in-${source}`]);
    },
    patience,
  );

  describe('custom resources', () => {
    const odds: ResourceType<Unstructured> = {
      group: 'restore.lateen.dev',
      version: 'v1',
      resource: 'odds',
      kind: 'Odd',
      namespaced: true,
    };
    const keepsAll = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'odds.restore.lateen.dev' },
      spec: {
        group: odds.group,
        scope: 'Namespaced',
        names: { kind: 'Odd', listKind: 'OddList', plural: 'odds', singular: 'odd' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: keepsAll },
          },
        ],
      },
    };
    const numbers =
      '{"big":9007199254740993,"half":0.5,"high":9223372036854775807,"low":-9223372036854775808,"tiny":1e-7,"unknown":{"nested":[{"x":1},[],{}]}}';

    it(
      'are restored after their definition, with exact numbers, and with the status that was asked for',
      async () => {
        const { kube } = under;
        const namespace = await under.namespace();
        await make([definition]);
        await untilServed(kube, odds);
        const object = parseExact(
          `{"apiVersion":"restore.lateen.dev/v1","kind":"Odd","metadata":{"name":"odd","namespace":"${namespace}"},"spec":${numbers}}`,
        ) as Unstructured;
        await kube.create(odds, object);
        const key = { namespace, name: 'odd' };
        await kube.patch(odds, key, { type: 'merge', body: { status: { turning: true } } }, { subresource: 'status' });
        const { archive, volumes } = await backUp(kube, { includedNamespaces: [namespace] });
        await kube.delete(definitionType, { name: definition.metadata.name });
        await kube.delete(namespaceType, { name: namespace });
        const gone = () =>
          kube.get(definitionType, { name: definition.metadata.name }).then(
            () => false,
            () => true,
          );
        while (!(await gone())) await base.clock.sleep(200);
        // No controller deletes the old namespace here.
        const target = `${namespace}-again`;
        const spec = { namespaceMapping: { [namespace]: target }, restoreStatus: { includedResources: ['*'] } };
        const plan = await restore(kube, { archive, volumes }, { ...spec, dryRun: true });
        const done = await restore(kube, { archive, volumes }, spec);
        expect(done.troubles).toEqual([]);
        expect(done.acts).toEqual(plan.acts);
        expect(done.acts).toMatchObject({
          'CustomResourceDefinition odds.restore.lateen.dev': 'create',
          'Odd odd': 'create',
        });
        const stored = await kube.raw({ path: resourcePath(odds, { namespace: target, name: 'odd' }) });
        expect(stored).toContain(`"spec":${numbers}`);
        expect(stored).toContain('"status":{"turning":true}');
      },
      patience,
    );
  });
});
