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
    ['none when nobody names any', {}, undefined, undefined],
    ['none for an empty flag', {}, '', undefined],
    ["the server's", {}, 'default', 'secrets'],
    ["the restore's", named('own'), undefined, 'pods'],
    ["the restore's, by a kind in any case", named('own', 'ConfigMap'), undefined, 'pods'],
    ["the restore's alone when both are there", named('own'), 'default', 'pods'],
    ["the server's when the restore names what is no ConfigMap", named('own', 'secret'), 'default', 'secrets'],
    ["none when the restore leaves out the server's", { skipDefaultResourceModifier: true }, 'default', undefined],
    [
      "the restore's, whatever it leaves out",
      { ...named('own'), skipDefaultResourceModifier: true },
      'default',
      'pods',
    ],
  ])('are %s', async (_title, spec, byDefault, resource) => {
    expect(await chosen(spec, byDefault)).toEqual({ resource, ...nothing });
  });

  it('fail the validation when they are not there', async () => {
    expect(await chosen(named('nowhere'), 'default')).toEqual({
      problems: ['failed to get resource modifiers configmap velero/nowhere: configmaps "nowhere" not found'],
      warnings: [],
    });
  });

  it('fail the validation when they say nothing that holds', async () => {
    const { problems, warnings } = await chosen(named('broken'));
    expect(problems).toEqual([
      'Validation error in resource modifiers provided in configmap velero/broken: unsupported resource modifier version v7. Correct the ConfigMap; docs/restores.md describes it.',
    ]);
    expect(warnings).toEqual([]);
  });

  it.each(['broken', 'nowhere'])("are a warning when the server's are %s", async (name) => {
    const { problems, warnings, resource } = await chosen({}, name);
    expect([problems, warnings.length, resource]).toEqual([[], 1, undefined]);
  });
});
