import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldWriters } from '@lateen/storage-types';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { descriptionsOf } from './comparable-crd.ts';
import { readYamlFiles } from './crd-folder.ts';
import { declarationsOf, readDeclarations } from './declarations.ts';
import { driftOf } from './drift.ts';
import { type KindGroup, kindGroups, storageKinds, veleroKinds } from './kind-groups.ts';
import { scalarSchemas } from './scalar-schemas.ts';
import { schemaOfKind } from './schema-of-kind.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { targetFolders } from './target-folders.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const targets = targetFolders(root);
const generated = new Map(targets.map(({ folder, files }) => [folder, files]));

describe('folders of deploy', () => {
  it('are one per group, and the chart, which has the kinds of backups and that of changed blocks', () => {
    expect(targets.map(({ folder, files }) => [folder, files.size])).toEqual([
      ['deploy/crds', 14],
      ['deploy/charts/lateen/crds', 14],
      ['deploy/crds-storage', 26],
    ]);
  });

  it.each(targets)('$folder has what npm run crds writes', ({ folder, files }) => {
    expect(driftOf(files, readYamlFiles(join(root, folder)))).toEqual([]);
  });

  it.each(kindGroups)('$folder has one CRD per kind, and a kustomization that lists them', (group) => {
    const files = generated.get(group.folder) ?? new Map();
    const { resources } = load(files.get('kustomization.yaml') ?? '') as { resources: string[] };
    expect(resources).toHaveLength(group.definitions.length);
    expect([...files.keys()].filter((name) => name !== 'kustomization.yaml').sort()).toEqual(resources);
  });

  it.each(kindGroups)('$folder describes every field, without references to our own notes', (group) => {
    const texts = [...(generated.get(group.folder) ?? new Map()).values()].flatMap((text) =>
      descriptionsOf(load(text)),
    );
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter((text) => /\.md\b|\{@link/.test(text))).toEqual([]);
  });
});

describe('printer columns', () => {
  it.each([
    [veleroKinds, 40, [{ kind: 'PodVolumeBackup', name: 'Node', path: '.status.node' }]],
    [storageKinds, 110, []],
  ] as const)('show fields that the schema has, except the wrong ones of Velero: %o', (group, least, wrong) => {
    const columns = columnsOf(group);
    expect(columns.length).toBeGreaterThan(least);
    expect(columns.filter(({ shown }) => !shown).map(({ shown: _, ...column }) => column)).toEqual(wrong);
  });
});

it('the table of the writers of fields names fields that the kinds have', () => {
  const declarations = readDeclarations(root, storageKinds.sourceFolders);
  const fields = fieldWriters.filter(({ path }) => path[0] !== 'metadata');
  const unknown = fields.filter(({ kind, path }) => {
    const definition = storageKinds.definitions.find(({ type }) => type.kind === kind);
    const schema = schemaOfKind(definition?.declaredAs ?? kind, declarations, definition?.rootFields);
    return !hasField(schema, `.${path.join('.')}`);
  });
  expect(fields.length).toBeGreaterThan(20);
  expect(unknown).toEqual([]);
});

function columnsOf({ definitions, sourceFolders }: KindGroup) {
  const declarations = readDeclarations(root, sourceFolders);
  return definitions.flatMap(({ type, declaredAs = type.kind, rootFields, columns = [] }) => {
    const schema = schemaOfKind(declaredAs, declarations, rootFields);
    return columns.map(({ name, jsonPath: path }) => ({
      kind: type.kind,
      name,
      path,
      shown: path.startsWith('.metadata.') || hasField(schema, path),
    }));
  });
}

describe('scalar schemas', () => {
  it('exist for every alias of meta/scalars.ts and for nothing else', () => {
    const { aliases } = declarationsOf([
      { path: 'anchor.ts', text: 'interface Anchor {}' },
      ...['api-types', 'storage-types'].map((library) => ({ path: library, text: scalarsOf(library) })),
    ]);
    expect([...aliases.keys()].sort()).toEqual(Object.keys(scalarSchemas).sort());
  });
});

function scalarsOf(library: string): string {
  return readFileSync(join(root, 'libs', library, 'src', 'meta', 'scalars.ts'), 'utf8');
}

/** Resolves a path such as `.status.conditions[?(@.type=='Ready')].status`, which selects items of a list. */
function hasField(schema: StructuralSchema, path: string): boolean {
  const steps = path.slice(1).match(/[^.[\]]+|\[\?\([^)]*\)\]/g) ?? [];
  let at: StructuralSchema | undefined = schema;
  for (const step of steps) at = step.startsWith('[') ? at?.items : at?.properties?.[step];
  return at !== undefined;
}
