import { describe, expect, it } from 'vitest';
import { itemPaths, type ParsedItemPath, parseItemPath } from './item-path.ts';

describe('itemPaths', () => {
  it.each<[Parameters<typeof itemPaths>[0], string[]]>([
    [
      { groupResource: 'pods', namespace: 'shop', name: 'web', version: 'v1', preferred: true },
      ['resources/pods/namespaces/shop/web.json', 'resources/pods/v1-preferredversion/namespaces/shop/web.json'],
    ],
    [
      { groupResource: 'deployments.apps', namespace: 'shop', name: 'web', version: 'v1beta1', preferred: false },
      ['resources/deployments.apps/v1beta1/namespaces/shop/web.json'],
    ],
    [
      { groupResource: 'namespaces', name: 'shop', version: 'v1', preferred: true },
      ['resources/namespaces/cluster/shop.json', 'resources/namespaces/v1-preferredversion/cluster/shop.json'],
    ],
    [
      {
        groupResource: 'clusterroles.rbac.authorization.k8s.io',
        name: 'system:a:b',
        version: 'v1',
        preferred: true,
      },
      [
        'resources/clusterroles.rbac.authorization.k8s.io/cluster/system:a:b.json',
        'resources/clusterroles.rbac.authorization.k8s.io/v1-preferredversion/cluster/system:a:b.json',
      ],
    ],
  ])('of %j', (item, paths) => {
    expect(itemPaths(item)).toEqual(paths);
    const { version, preferred, ...place } = item;
    const versioned = { ...place, version, preferred };
    expect(paths.map(parseItemPath)).toEqual(preferred ? [place, versioned] : [versioned]);
  });
});

describe('parseItemPath', () => {
  it.each<[string, ParsedItemPath | undefined]>([
    ['metadata/version', undefined],
    ['resources', undefined],
    ['resources/pods', undefined],
    ['resources//namespaces/a/b.json', undefined],
    ['resources/pods/README.json', undefined],
    ['resources/pods/namespaces/shop', undefined],
    ['resources/pods/namespaces/shop/web', undefined],
    ['resources/pods/namespaces/shop/.json', undefined],
    ['resources/pods/namespaces//web.json', undefined],
    ['resources/pods/namespaces/shop/more/web.json', undefined],
    ['resources/pods/other/shop/web.json', undefined],
    ['other/pods/namespaces/shop/web.json', undefined],
    // A namespace can have the same name as a scope folder.
    ['resources/pods/namespaces/cluster/web.json', { groupResource: 'pods', namespace: 'cluster', name: 'web' }],
    ['resources/pods/namespaces/namespaces/web.json', { groupResource: 'pods', namespace: 'namespaces', name: 'web' }],
    [
      'resources/nodes/v1/cluster/n.json.json',
      { groupResource: 'nodes', name: 'n.json', version: 'v1', preferred: false },
    ],
  ])('%s', (path, parsed) => {
    expect(parseItemPath(path)).toEqual(parsed);
  });
});
