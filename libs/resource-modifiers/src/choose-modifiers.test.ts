import type { RestoreSpec } from '@lateen/api-types';
import { aConfigMap, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { resourceModifiersFor } from './choose-modifiers.ts';

const rules = (name: string, groupResource: string) =>
  aConfigMap({
    namespace: 'velero',
    name,
    data: { rules: `version: v1\nresourceModifierRules: [{conditions: {groupResource: ${groupResource}}}]` },
  });

async function chosen(spec: RestoreSpec, defaultConfigMap?: string) {
  const broken = aConfigMap({ namespace: 'velero', name: 'broken', data: { rules: 'version: v7' } });
  const kube = fakeCluster({ objects: [rules('own', 'pods'), rules('default', 'secrets'), broken] });
  const sources = { kube, namespace: 'velero', defaultConfigMap };
  const { modifiers, ...said } = await resourceModifiersFor(spec, sources, new AbortController().signal);
  return { resource: modifiers?.rules[0]?.conditions.groupResource, ...said };
}

const nothing = { problems: [], warnings: [] };
const named = (name: string, kind = 'configmap'): RestoreSpec => ({ resourceModifier: { kind, name } });

describe('the resource modifiers of a restore', () => {
  it.each<[title: string, spec: RestoreSpec, byDefault: string | undefined, resource: string | undefined]>([
    ['none when none is named', {}, undefined, undefined],
    ['none for an empty flag', {}, '', undefined],
    ['those of the server', {}, 'default', 'secrets'],
    ['those of the restore', named('own'), undefined, 'pods'],
    ['those of the restore, with the kind in any case', named('own', 'ConfigMap'), undefined, 'pods'],
    ['only those of the restore when both exist', named('own'), 'default', 'pods'],
    [
      'those of the server when the restore names something else than a ConfigMap',
      named('own', 'secret'),
      'default',
      'secrets',
    ],
    ['none when the restore declines those of the server', { skipDefaultResourceModifier: true }, 'default', undefined],
    [
      'those of the restore, even when it declines those of the server',
      { ...named('own'), skipDefaultResourceModifier: true },
      'default',
      'pods',
    ],
  ])('are %s', async (_title, spec, byDefault, resource) => {
    expect(await chosen(spec, byDefault)).toEqual({ resource, ...nothing });
  });

  it('fail the validation when they do not exist', async () => {
    expect(await chosen(named('nowhere'), 'default')).toEqual({
      problems: ['failed to get resource modifiers configmap velero/nowhere: configmaps "nowhere" not found'],
      warnings: [],
    });
  });

  it('fail the validation when they are invalid', async () => {
    const { problems, warnings } = await chosen(named('broken'));
    expect(problems).toEqual([
      'Validation error in resource modifiers provided in configmap velero/broken: unsupported resource modifier version v7. Correct the ConfigMap; docs/restores.md describes it.',
    ]);
    expect(warnings).toEqual([]);
  });

  it.each(['broken', 'nowhere'])('are a warning when those of the server are %s', async (name) => {
    const { problems, warnings, resource } = await chosen({}, name);
    expect([problems, warnings.length, resource]).toEqual([[], 1, undefined]);
  });
});
