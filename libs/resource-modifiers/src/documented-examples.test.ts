import { readFileSync } from 'node:fs';
import { aConfigMap } from '@lateen/testing';
import { expect, it } from 'vitest';
import { parseResourceModifiers } from './parse/parse-modifiers.ts';

const page = readFileSync(new URL('../../../docs/restores.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```yaml\n(version: v1\nresourceModifierRules:[\s\S]*?)```/g)].map(
  ([, yaml = '']) => yaml,
);

it('docs/restores.md has valid rules of each kind', () => {
  const rules = examples.flatMap(
    (yaml) => parseResourceModifiers(aConfigMap({ namespace: 'velero', name: 'rules', data: { yaml } })).rules,
  );
  expect(
    rules.map(({ patches, mergePatches, strategicPatches }) =>
      [patches, mergePatches, strategicPatches].map(({ length }) => length),
    ),
  ).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
});
