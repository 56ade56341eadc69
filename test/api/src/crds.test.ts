import type { Unstructured } from '@lateen/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyDefinitions, definitions, definitionType } from './apply-definitions.ts';
import { minimalValue } from './minimal-object.ts';
import { describeWithApiServer } from './with-api-server.ts';

await describeWithApiServer('deploy/crds on a real kube-apiserver', (under) => {
  let namespace = '';
  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube);
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

      it('is accepted without a warning and served', async () => {
        await expect
          .poll(() => typeNow().catch(() => undefined), { timeout: 100_000 })
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

      it('accepts the smallest object that its schema allows, and keeps it', async () => {
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

      it('rejects a spec that is not a mapping', async () => {
        const call = under.kube.create(await typeNow(), { ...named('wrong'), spec: 5 } as Unstructured);
        await expect(call).rejects.toMatchObject({ code: 'KUBE_INVALID' });
      });
    },
  );
});
