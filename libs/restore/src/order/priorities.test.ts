import { describe, expect, it } from 'vitest';
import { namedResources } from './named-resources.ts';
import { listedPriorities, PriorityOrder, parsePriorities, prioritiesDefault } from './priorities.ts';

const nothing = () => undefined;
const kinds: Record<string, string> = { 'networkpolicies.networking.k8s.io': 'NetworkPolicy' };

describe('parsePriorities', () => {
  it.each([
    { list: 'pods,services', high: ['pods', 'services'], low: [] },
    { list: ' pods , services ', high: ['pods', 'services'], low: [] },
    { list: 'pods,-,apps.example.com', high: ['pods'], low: ['apps.example.com'] },
    { list: '-,pods', high: [], low: ['pods'] },
    { list: 'pods,-', high: ['pods'], low: [] },
  ])('reads $list', ({ list, high, low }) => {
    expect(parsePriorities(listedPriorities(list))).toEqual({ high, low });
  });

  it('uses the default list when none is given', () => {
    const { high, low } = parsePriorities(listedPriorities(''));
    expect(high.slice(0, 3)).toEqual(['customresourcedefinitions', 'namespaces', 'storageclasses']);
    expect(high.at(-1)).toBe('services');
    expect([high.length, low.length]).toEqual([23, 5]);
  });

  it.each([
    { list: 'pods,-,services,-', text: 'it can have only one "-"' },
    { list: 'pods,services,pods', text: 'resource "pods" is listed twice' },
    { list: 'pods,-,pods', text: 'resource "pods" is listed twice' },
    { list: 'pods,*', text: '"*" is not the name of a resource' },
    { list: 'pods,*.apps', text: '"*.apps" is not the name of a resource' },
    { list: 'pods,my pods', text: '"my pods" is not the name of a resource' },
  ])('rejects $list', ({ list, text }) => {
    expect(() => parsePriorities(listedPriorities(list))).toThrow(`restore resource priorities: ${text}`);
  });
});

describe('PriorityOrder', () => {
  const sorted = (list: readonly string[], present: string[], find: (name: string) => string | undefined = nothing) => {
    const items = present.map((groupResource) => ({ groupResource, kind: kinds[groupResource] ?? '' }));
    const order = new PriorityOrder(parsePriorities(list), namedResources(items, find));
    return [...present].sort((a, b) => order.compare(a, b));
  };

  it('places listed resources first and last, and the others between them by name', () => {
    const present = ['zebras.example.com', 'services', 'clusters.cluster.x-k8s.io', 'deployments.apps', 'pods'];
    expect(sorted(prioritiesDefault, present)).toEqual([
      'pods',
      'services',
      'deployments.apps',
      'zebras.example.com',
      'clusters.cluster.x-k8s.io',
    ]);
  });

  it.each([
    { name: 'customresourcedefinitions', means: 'customresourcedefinitions.apiextensions.k8s.io' },
    { name: 'volumesnapshotclass.snapshot.storage.k8s.io', means: 'volumesnapshotclasses.snapshot.storage.k8s.io' },
    { name: 'deployment.apps', means: 'deployments.apps' },
    { name: 'networkpolicy', means: 'networkpolicies.networking.k8s.io' },
  ])('resolves $name without discovery', ({ name, means }) => {
    expect(sorted([name], ['a.example.com', means])).toEqual([means, 'a.example.com']);
  });

  it('resolves names by discovery first', () => {
    const find = (name: string) => (name === 'po' ? 'pods' : undefined);
    expect(sorted(['po'], ['a.example.com', 'pods'], find)).toEqual(['pods', 'a.example.com']);
  });

  it('does not match a resource of another group when the entry names a group', () => {
    expect(sorted(['clusters.cluster.x-k8s.io'], ['a.example.com', 'clusters.example.com'])).toEqual([
      'a.example.com',
      'clusters.example.com',
    ]);
  });
});
