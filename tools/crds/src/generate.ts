import { kindDefinitions } from '@lateen/api-types/definitions';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { readDeclarations } from './declarations.ts';
import { renderYaml } from './render-yaml.ts';
import { schemaOfKind } from './schema-of-kind.ts';

/** Folders of api-types that declare our kinds; `core` holds other people's. */
export const sourceFolders = ['meta', 'phases', 'v1', 'v2alpha1'].map((name) => `libs/api-types/src/${name}`);

/** Every file of deploy/crds by name. Reads the interfaces of api-types below `root`. @throws CRD_SOURCE */
export function generate(root: string): ReadonlyMap<string, string> {
  const declarations = readDeclarations(root, sourceFolders);
  const files = new Map<string, string>();
  for (const definition of kindDefinitions) {
    const { kind, group, resource } = definition.type;
    const schema = schemaOfKind(kind, declarations);
    files.set(`${group}_${resource}.yaml`, renderYaml(customResourceDefinition(definition, schema)));
  }
  const resources = [...files.keys()].sort();
  files.set(
    'kustomization.yaml',
    renderYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources }),
  );
  return files;
}
