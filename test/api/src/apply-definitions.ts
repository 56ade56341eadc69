import { readdirSync, readFileSync } from 'node:fs';
import type { KubeApi, ResourceType, Unstructured } from '@lateen/kube';
import { load } from 'js-yaml';
import type { Schema } from './minimal-object.ts';
import { base } from './with-api-server.ts';

/** A CustomResourceDefinition, as far as tests look into it. */
export interface Definition extends Unstructured {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string; shortNames?: string[] };
    versions: { name: string; schema: { openAPIV3Schema: Schema }; subresources?: { status?: object } }[];
  };
}

export const definitionType: ResourceType<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

const folder = new URL('../../../deploy/crds/', import.meta.url);

/** The kinds of `deploy/crds` that are the reference's too. */
export const definitions: readonly Definition[] = readdirSync(folder)
  .filter((file) => file.startsWith('velero.io_'))
  .map((file) => load(readFileSync(new URL(file, folder), 'utf8')) as Definition);

/** Applies them. They are served a moment later; {@link untilServed} waits for that. */
export async function applyDefinitions(kube: KubeApi): Promise<void> {
  for (const definition of definitions) {
    await kube.patch(
      definitionType,
      { name: definition.metadata.name ?? '' },
      { type: 'apply', body: definition, force: true },
      { fieldManager: 'test' },
    );
  }
}

/** Waits until a kind that was defined can be listed. */
export async function untilServed(kube: KubeApi, type: ResourceType): Promise<void> {
  const isServed = () =>
    kube.list(type, { limit: 1 }).then(
      () => true,
      () => false,
    );
  while (!(await isServed())) await base.clock.sleep(100);
}
