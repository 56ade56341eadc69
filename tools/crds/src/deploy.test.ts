import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindDefinitions } from '@lateen/api-types/definitions';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { descriptionsOf } from './comparable-crd.ts';
import { readYamlFiles } from './crd-folder.ts';
import { declarationsOf, readDeclarations } from './declarations.ts';
import { driftOf } from './drift.ts';
import { generate, sourceFolders } from './generate.ts';
import { scalarSchemas } from './scalar-schemas.ts';
import { schemaOfKind } from './schema-of-kind.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { targetFolders } from './target-folders.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const generated = generate(root);

describe('deploy/crds', () => {
  it.each(targetFolders(generated))('is what npm run crds writes into $folder', ({ folder, files }) => {
    expect(driftOf(files, readYamlFiles(join(root, folder)))).toEqual([]);
  });

  it('has one CRD for each kind, and a kustomization that lists them', () => {
    const { resources } = load(generated.get('kustomization.yaml') ?? '') as { resources: string[] };
    expect(resources).toHaveLength(13);
    expect([...generated.keys()].filter((name) => name !== 'kustomization.yaml').sort()).toEqual(resources);
  });

  it('describes every field, and to people who do not have our notes', () => {
    const texts = [...generated.values()].flatMap((text) => descriptionsOf(load(text)));
    expect(texts.filter((text) => /\.md\b|\{@link/.test(text))).toEqual([]);
  });
});

describe('printer columns', () => {
  const declarations = readDeclarations(root, sourceFolders);
  const columns = kindDefinitions.flatMap(({ type, columns = [] }) =>
    columns.map((column) => ({ kind: type.kind, name: column.name, path: column.jsonPath })),
  );

  it('show fields that the schema has, but for the one that the reference has wrong', () => {
    const blank = columns.filter(
      ({ kind, path }) => !path.startsWith('.metadata.') && !hasField(schemaOfKind(kind, declarations), path),
    );
    expect(columns.length).toBeGreaterThan(40);
    expect(blank).toEqual([{ kind: 'PodVolumeBackup', name: 'Node', path: '.status.node' }]);
  });
});

describe('scalar schemas', () => {
  it('exist for every alias of meta/scalars.ts and for nothing else', () => {
    const { aliases } = declarationsOf([
      { path: 'anchor.ts', text: 'interface Anchor {}' },
      ...['scalars.ts'].map((name) => ({ path: name, text: sourceOf(name) })),
    ]);
    expect([...aliases.keys()].sort()).toEqual(Object.keys(scalarSchemas).sort());
  });
});

function sourceOf(name: string): string {
  return readFileSync(join(root, 'libs', 'api-types', 'src', 'meta', name), 'utf8');
}

function hasField(schema: StructuralSchema, path: string): boolean {
  const names = path.slice(1).split('.');
  let at: StructuralSchema | undefined = schema;
  for (const name of names) at = at?.properties?.[name];
  return at !== undefined;
}
