import { readdirSync, readFileSync } from 'node:fs';
import type { ResourceType, Unstructured } from '@lateen/kube';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { minimalValue, type Schema } from './minimal-object.ts';
import { describeWithApiServer } from './with-api-server.ts';

interface Definition extends Unstructured {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string; shortNames?: string[] };
    versions: { name: string; schema: { openAPIV3Schema: Schema }; subresources?: { status?: object } }[];
  };
}

const definitionType: ResourceType<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

const folder = new URL('../../../deploy/crds/', import.meta.url);
const definitions = readdirSync(folder)
  .filter((file) => file.startsWith('velero.io_'))
  .map((file) => load(readFileSync(new URL(file, folder), 'utf8')) as Definition);

await describeWithApiServer('deploy/crds on a real kube-apiserver', (under) => {
  let namespace = '';
  beforeAll(async () => {
    namespace = await under.namespace();
    for (const definition of definitions) {
      await under.kube.patch(
        definitionType,
        { name: definition.metadata.name ?? '' },
        { type: 'apply', body: definition, force: true },
        { fieldManager: 'test' },
      );
    }
  });

  it('are all 13', () => {
    expect(definitions).toHaveLength(13);
  });

  describe.each(definitions.map((definition) => [definition.spec.names.kind, definition] as const))(
    '%s',
    (kind, definition) => {
      const { group, names, versions } = definition.spec;
      const [version] = versions;
      const typeNow = () => under.kube.findResourceType({ group, kind });
      const named = (name: string) => ({
        ...(minimalValue(version?.schema.openAPIV3Schema ?? {}) as object),
        apiVersion: `${group}/${version?.name}`,
        kind,
        metadata: { name, namespace },
      });

      it('is accepted without a complaint and served', async () => {
        await expect
          .poll(() => typeNow().catch(() => undefined), { timeout: 30_000 })
          .toMatchObject({
            version: version?.name,
            resource: names.plural,
            shortNames: names.shortNames ?? [],
            namespaced: definition.spec.scope === 'Namespaced',
          });
        const { status } = (await under.kube.get(definitionType, { name: `${names.plural}.${group}` })) as Unstructured;
        const { conditions } = status as { conditions: { type: string; status: string; message?: string }[] };
        expect(conditions.filter(({ type }) => type === 'NonStructuralSchema')).toEqual([]);
        expect(conditions.find(({ type }) => type === 'Established')?.status).toBe('True');
      });

      it('takes the smallest object that its schema allows, and keeps it', async () => {
        const type = await typeNow();
        const object = named('smallest');
        const created = (await under.kube.create(type, object)) as Unstructured;
        const { metadata: _, ...kept } = created;
        expect(kept).toMatchObject({ apiVersion: object.apiVersion, kind });
        const { items } = await under.kube.list(type, { namespace });
        expect(items.map(({ metadata }) => metadata.name)).toEqual(['smallest']);
        const deleted = under.kube.delete(type, { namespace, name: 'smallest' });
        await deleted;
        expect((await under.kube.list(type, { namespace })).items).toEqual([]);
      });

      it('refuses a spec that is no mapping', async () => {
        const call = under.kube.create(await typeNow(), { ...named('wrong'), spec: 5 } as Unstructured);
        await expect(call).rejects.toMatchObject({ code: 'KUBE_INVALID' });
      });
    },
  );
});
