import { aConfigMap, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { readVersionPriorities } from './read-version-priorities.ts';

const named = (data: Record<string, string>) =>
  aConfigMap({ namespace: 'velero', name: 'enableapigroupversions', data });
const key = 'restoreResourcesVersionPriority';
const never = new AbortController().signal;

describe('the ConfigMap with version priorities', () => {
  it.each<[title: string, objects: ReturnType<typeof named>[], priorities: object, warnings: string[]]>([
    ['is optional', [], {}, []],
    ['may have other keys', [named({ other: 'x' })], {}, []],
    ['is read line by line', [named({ [key]: 'a.b=v2,v1\nc.d=v1' })], { 'a.b': ['v2', 'v1'], 'c.d': ['v1'] }, []],
    [
      'loses only the line that is invalid',
      [named({ [key]: 'a.b=v2\nwhat' })],
      { 'a.b': ['v2'] },
      ['ConfigMap enableapigroupversions: what is not a line such as resource.group=v1,v2'],
    ],
  ])('%s', async (_title, objects, priorities, warnings) => {
    const kube = fakeCluster({ objects });
    const read = await readVersionPriorities({ kube, namespace: 'velero' }, never);
    expect([Object.fromEntries(read.priorities), read.warnings]).toEqual([priorities, warnings]);
  });

  it('is a warning when it cannot be read', async () => {
    const kube = fakeCluster().failOnce('get', () => true, 'KUBE_FORBIDDEN');
    const { priorities, warnings } = await readVersionPriorities({ kube, namespace: 'velero' }, never);
    expect(priorities.size).toBe(0);
    expect(warnings).toEqual([expect.stringContaining('ConfigMap enableapigroupversions cannot be read')]);
  });
});
