import { describe, expect, it } from 'vitest';
import { resourceGlob } from './resource-glob.ts';

describe('the resource of a rule', () => {
  it.each<[pattern: string, resource: string, isMeant: boolean]>([
    ['pods', 'pods', true],
    ['pods', 'pod', false],
    ['pods', 'pods.metrics.k8s.io', false],
    ['*', 'pods', true],
    ['*', 'deployments.apps', false],
    ['*.apps', 'deployments.apps', true],
    ['*.apps', 'pods', false],
    ['*.*', 'deployments.apps', true],
    ['*.*', 'roles.rbac.authorization.k8s.io', false],
    ['**', 'roles.rbac.authorization.k8s.io', true],
    ['**', 'pods', true],
    ['deployments.*', 'deployments.apps', true],
    ['p?ds', 'pods', true],
    ['p?ds', 'p.ds', false],
    ['{pods,secrets}', 'secrets', true],
    ['{pods,secrets}', 'services', false],
    ['[ps]*', 'secrets', true],
    ['[!p]*', 'pods', false],
    ['deployments.app[r-t]', 'deployments.apps', true],
    ['deploymentsXapps', 'deployments.apps', false],
    ['deployments\\.apps', 'deployments.apps', true],
  ])('%s matches %s: %s', (pattern, resource, isMeant) => {
    expect(resourceGlob(pattern).test(resource)).toBe(isMeant);
  });

  it.each(['[a', '{a', '[]', '[!]'])('%s is rejected', (pattern) => {
    expect(() => resourceGlob(pattern)).toThrow();
  });
});
