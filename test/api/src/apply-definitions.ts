import { readdirSync, readFileSync } from 'node:fs';
import type { KubeApi, ResourceType, Unstructured } from '@lateen/kube';
import { load } from 'js-yaml';
import type { Schema } from './minimal-object.ts';
import { base } from './with-api-server.ts';

/** The fields of a CustomResourceDefinition that tests read. */
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

/** The kinds of `deploy/crds` that Velero has too. */
export const definitions = definitionsIn('crds', 'velero.io_');

/** The kinds of the volume manager. */
export const storageDefinitions = definitionsIn('crds-storage', 'longhorn.io_');

function definitionsIn(folder: string, prefix: string): readonly Definition[] {
  const url = new URL(`../../../deploy/${folder}/`, import.meta.url);
  return readdirSync(url)
    .filter((file) => file.startsWith(prefix))
    .map((file) => load(readFileSync(new URL(file, url), 'utf8')) as Definition);
}

/** Applies the definitions. They are served a moment later; {@link untilServed} waits for that. */
export async function applyDefinitions(kube: KubeApi, wanted = definitions): Promise<void> {
  for (const definition of wanted) {
    await kube.patch(
      definitionType,
      { name: definition.metadata.name ?? '' },
      { type: 'apply', body: definition, force: true },
      { fieldManager: 'test' },
    );
  }
}

/** Waits until a new kind can be listed. */
export async function untilServed(kube: KubeApi, type: ResourceType): Promise<void> {
  const isServed = () =>
    kube.list(type, { limit: 1 }).then(
      () => true,
      () => false,
    );
  while (!(await isServed())) await base.clock.sleep(100);
}
