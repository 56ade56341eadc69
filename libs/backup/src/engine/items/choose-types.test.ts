import type { DiscoveredType } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { chooseTypes } from './choose-types.ts';

const all = ['create', 'delete', 'get', 'list'];

function type(text: string, parts: Partial<DiscoveredType> = {}): DiscoveredType {
  const [resource = '', version = 'v1', group = ''] = text.split(' ');
  const rest = { shortNames: [], singular: '', categories: [], subresources: [], preferred: true, namespaced: true };
  return { group, version, resource, kind: resource, verbs: all, ...rest, ...parts };
}

const chosen = (types: DiscoveredType[], allVersions = false): string[] =>
  chooseTypes(types, { backup: [], block: [] }, { allVersions }).map(({ type: { resource, version, group } }) =>
    [resource, version, group].join(' ').trim(),
  );

describe('chooseTypes', () => {
  it('selects types that can be listed, read, created and deleted', () => {
    const without = (verb: string) => type(verb, { verbs: all.filter((each) => each !== verb) });
    expect(chosen([...all.map(without), type('configmaps'), type('pods/log')])).toEqual(['configmaps v1']);
  });

  it('orders pods, claims and volumes first, and extensions last', () => {
    const types = [
      'deployments v1 extensions',
      'configmaps v1',
      'persistentvolumes v1',
      'jobs v1 batch',
      'persistentvolumeclaims v1',
      'pods v1',
      'pods v1 metrics.k8s.io',
    ];
    expect(chosen(types.map((text) => type(text)))).toEqual([
      'pods v1',
      'persistentvolumeclaims v1',
      'persistentvolumes v1',
      'configmaps v1',
      'jobs v1 batch',
      'pods v1 metrics.k8s.io',
      'deployments v1 extensions',
    ]);
  });

  it.each([
    ['deployments', 'apps', 'extensions'],
    ['daemonsets', 'apps', 'extensions'],
    ['replicasets', 'apps', 'extensions'],
    ['networkpolicies', 'networking.k8s.io', 'extensions'],
    ['events', '', 'events.k8s.io'],
  ])('selects %s once, from group %j and not from %j', (resource, from, not) => {
    const types = [from, not].map((group) => type(`${resource} v1 ${group}`));
    const expected = [`${resource} v1 ${from}`.trim()];
    expect([chosen(types), from === '' ? expected : chosen(types.toReversed())]).toEqual([expected, expected]);
  });

  it('selects both of two unrelated groups with the same resource name', () => {
    expect(chosen([type('services v1'), type('services v1 serving.knative.dev')])).toHaveLength(2);
  });

  it('selects other versions only when asked to, but never a second group of the same resource', () => {
    const types = [
      type('events v1'),
      type('gears v2 example.com'),
      type('gears v1 example.com', { preferred: false }),
      type('events v1 events.k8s.io'),
    ];
    expect(chosen(types)).toEqual(['events v1', 'gears v2 example.com']);
    expect(chosen(types, true)).toEqual(['events v1', 'gears v2 example.com', 'gears v1 example.com']);
  });

  it('lists the actions that apply to a type', () => {
    const action = (name: string, includedResources?: string[]) => ({
      name,
      appliesTo: includedResources === undefined ? {} : { includedResources },
      execute: async () => ({ item: {} as never }),
      relatedItems: async () => [],
    });
    const actions = { backup: [action('pods', ['pods']), action('all')], block: [action('block', ['pods'])] };
    const [pods, maps] = chooseTypes([type('pods'), type('configmaps')], actions, { allVersions: false });
    expect(pods?.actions.map(({ name }) => name)).toEqual(['pods', 'all']);
    expect(pods?.blockActions.map(({ name }) => name)).toEqual(['block']);
    expect([maps?.actions.length, maps?.blockActions.length, maps?.gvk]).toEqual([1, 0, 'v1/configmaps']);
  });
});
