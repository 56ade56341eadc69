import { join } from 'node:path';
import { type Addition, additions } from '@lateen/api-types/definitions';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { descriptionsOf } from './comparable-crd.ts';
import { describeDifference } from './differences.ts';
import { generate } from './generate.ts';
import { veleroKinds } from './kind-groups.ts';
import { differencesFromReference, referenceCrds } from './reference-crds.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const { isThere, skipped, names, read: readReference } = referenceCrds(root, 'crds');

/** Longest sequence of words that two descriptions of the same field may share by chance. */
const sharedWordsMax = 9;

const compare = (reference: unknown, ours: unknown): string[] =>
  differencesFromReference(reference, ours).map(describeDifference);

describe.skipIf(!isThere)(`the generated CRDs of velero.io${skipped}`, () => {
  const generated = isThere ? generate(root, veleroKinds) : new Map<string, string>();

  it('are those of Velero, no more and no fewer', () => {
    const ours = [...generated.keys()].filter((name) => name !== 'kustomization.yaml');
    expect(names.length).toBe(13);
    expect(ours.sort()).toEqual([...names].sort());
  });

  it.each(names)("equal Velero's except for descriptions and our additions: %s", (name) => {
    const ours = load(generated.get(name) ?? '');
    for (const addition of additions) if (name === `velero.io_${addition.resource}.yaml`) take(addition, ours);
    expect(compare(readReference(name), ours)).toEqual([]);
  });

  it.each(additions)('our addition is not in Velero: $resource $path', (addition) => {
    const name = `velero.io_${addition.resource}.yaml`;
    expect(() => take(addition, readReference(name))).toThrow(/is not there/);
  });

  it('have our own descriptions', () => {
    const theirs = new Set(names.flatMap((name) => descriptionsOf(readReference(name))).flatMap(wordRuns));
    const ours = [...generated.values()].flatMap((text) => descriptionsOf(load(text)));
    expect(ours.length).toBeGreaterThan(300);
    expect([...new Set(ours.filter((text) => wordRuns(text).some((run) => theirs.has(run))))]).toEqual([]);
  });

  const planted: readonly [string, string, string, string][] = [
    ['an enum value', 'velero.io_datauploads.yaml', '- Canceling\n', '- Cancelling\n'],
    ['a type', 'velero.io_datauploads.yaml', 'type: boolean', 'type: string'],
    ['a format', 'velero.io_datauploads.yaml', 'format: date-time', 'format: date'],
    ['a required field', 'velero.io_datauploads.yaml', '- sourcePVC\n', '- cancel\n'],
    ['a nullable', 'velero.io_datauploads.yaml', 'nullable: true', 'nullable: false'],
    ['a property', 'velero.io_datauploads.yaml', 'incrementalBytes:\n', 'incrementalByte:\n'],
    ['a default', 'velero.io_backupstoragelocations.yaml', "default: ''", 'default: x'],
    ['a least length', 'velero.io_backups.yaml', 'minItems: 1', 'minItems: 2'],
    ['a list type', 'velero.io_backups.yaml', 'x-kubernetes-list-type: atomic', 'x-kubernetes-list-type: set'],
    ['a map type', 'velero.io_backups.yaml', 'x-kubernetes-map-type: atomic', 'x-kubernetes-map-type: granular'],
    ['a free object', 'velero.io_restores.yaml', 'x-kubernetes-preserve-unknown-fields: true', 'nullable: true'],
    ['a column path', 'velero.io_datauploads.yaml', 'jsonPath: .status.node', 'jsonPath: .status.nodes'],
    ['a column priority', 'velero.io_datauploads.yaml', 'priority: 10', 'priority: 1'],
    ['a short name', 'velero.io_backupstoragelocations.yaml', '- bsl', '- bs'],
    ['a scope', 'velero.io_datauploads.yaml', 'scope: Namespaced', 'scope: Cluster'],
    ['a version', 'velero.io_datauploads.yaml', 'name: v2alpha1', 'name: v2alpha2'],
    ['a sub-resource', 'velero.io_datauploads.yaml', 'subresources: {}', 'subresources: { status: {} }'],
    ['a plural', 'velero.io_datauploads.yaml', 'plural: datauploads', 'plural: dataupload'],
  ];
  it.each(planted)('a planted difference is found and named: %s', (_what, name, text, replacement) => {
    const ours = generated.get(name) ?? '';
    expect(ours).toContain(text);
    const differences = compare(readReference(name), load(ours.replace(text, replacement)));
    expect(differences.length).toBeGreaterThan(0);
    expect(differences[0]).toMatch(/^(spec|metadata)\.\S.*: expected .+, found .+$/);
  });
});

/** Removes an addition from a CRD. @throws when it, or one of its values, does not exist */
function take({ path, values }: Addition, crd: unknown): void {
  const { spec } = crd as { spec: { versions: { schema: { openAPIV3Schema: { properties: object } } }[] } };
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at = spec.versions[0]?.schema.openAPIV3Schema.properties as Record<string, unknown> | undefined;
  for (const key of keys) at = at?.[key] as Record<string, unknown> | undefined;
  const found = at?.[last];
  if (at === undefined || found === undefined) throw new Error(`${path} is not there`);
  if (values === undefined) {
    delete at[last];
    return;
  }
  for (const value of values) {
    if (!(found as string[]).includes(value)) throw new Error(`${path} ${value} is not there`);
  }
  at[last] = (found as string[]).filter((each) => !values.includes(each));
}

/** Every sequence of `sharedWordsMax + 1` words, or the whole text when it is shorter but has at least six words. */
function wordRuns(text: string): string[] {
  const words = text.toLowerCase().match(/[\w"]+/g) ?? [];
  if (words.length < 6) return [];
  if (words.length <= sharedWordsMax) return [words.join(' ')];
  return words.slice(sharedWordsMax).map((_, index) => words.slice(index, index + sharedWordsMax + 1).join(' '));
}
