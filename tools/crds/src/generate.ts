import { customResourceDefinition } from './custom-resource-definition.ts';
import { readDeclarations } from './declarations.ts';
import type { KindGroup } from './kind-groups.ts';
import { renderYaml } from './render-yaml.ts';
import { schemaOfKind } from './schema-of-kind.ts';

/** Every file of a group's folder by name. Reads its interfaces below `root`. @throws CRD_SOURCE */
export function generate(root: string, { definitions, sourceFolders }: KindGroup): ReadonlyMap<string, string> {
  const declarations = readDeclarations(root, sourceFolders);
  const files = new Map<string, string>();
  for (const definition of definitions) {
    const { type, declaredAs = type.kind, rootFields } = definition;
    const schema = schemaOfKind(declaredAs, declarations, rootFields);
    files.set(`${type.group}_${type.resource}.yaml`, renderYaml(customResourceDefinition(definition, schema)));
  }
  const resources = [...files.keys()].sort();
  files.set(
    'kustomization.yaml',
    renderYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources }),
  );
  return files;
}
