import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { descriptionProblems } from './description-problems.ts';
import { generate } from './generate.ts';
import { kindGroups } from './kind-groups.ts';

const root = join(import.meta.dirname, '..', '..', '..');

const crdWith = (properties: object) => ({ spec: { versions: [{ schema: { openAPIV3Schema: { properties } } }] } });

describe('descriptionProblems', () => {
  const described = { type: 'string', description: 'Name of the node.' };

  it('finds nothing where every field is described; metadata is described by the API server', () => {
    const spec = { description: 'What is asked for.', properties: { node: described } };
    expect(descriptionProblems(crdWith({ metadata: { type: 'object' }, spec }))).toEqual([]);
  });

  it.each([
    ['no description', { node: { type: 'string' } }, '.node: has no description'],
    ['two words', { node: { description: 'The node.' } }, '.node: "The node." has fewer than 3 words'],
    [
      'the words of the name',
      { startTimestamp: { description: 'The start timestamp.' } },
      '.startTimestamp: "The start timestamp." only repeats the name',
    ],
    [
      'a field of an object in a list',
      { pods: { description: 'Pods of the volume.', items: { properties: { name: {} } } } },
      '.pods[].name: has no description',
    ],
    [
      'a field of a value of a map',
      { pods: { description: 'Pods of the volume.', additionalProperties: { properties: { name: {} } } } },
      '.pods[].name: has no description',
    ],
    [
      'a metadata that is not that of the object',
      { spec: { description: 'What is asked for.', properties: { metadata: {} } } },
      '.spec.metadata: has no description',
    ],
  ])('names a field with %s', (_what, properties, problem) => {
    expect(descriptionProblems(crdWith(properties))).toEqual([problem]);
  });
});

describe('generated CRDs', () => {
  const files = kindGroups.flatMap((group) => [...generate(root, group)]);
  const crds = files.filter(([name]) => name !== 'kustomization.yaml');

  it.each(crds)('%s describes each field in words that its name does not have', (_name, text) => {
    expect(descriptionProblems(load(text))).toEqual([]);
  });
});
