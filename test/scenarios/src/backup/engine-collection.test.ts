import { aConfigMap, aNamespace, aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { engineWorld } from './engine-world.ts';

const shop = [
  aNamespace({ name: 'shop' }),
  aConfigMap({ name: 'settings', namespace: 'shop', data: { a: '1' } }),
  aSecret({ name: 'key', namespace: 'shop', values: { password: 'hunter2' } }),
  aConfigMap({ name: 'other', namespace: 'elsewhere' }),
];

const paths = (files: ReadonlyMap<string, string>): string[] => [...files.keys()].sort();

describe('the collection engine', () => {
  it('writes each object of the namespace at both of its places, and its namespace', async () => {
    const world = engineWorld({ objects: shop });
    const { files, outcome, resourceList } = await world.run({ includedNamespaces: ['shop'] });
    expect(paths(files)).toEqual([
      'metadata/version',
      'resources/configmaps/namespaces/shop/settings.json',
      'resources/configmaps/v1-preferredversion/namespaces/shop/settings.json',
      'resources/namespaces/cluster/shop.json',
      'resources/namespaces/v1-preferredversion/cluster/shop.json',
      'resources/secrets/namespaces/shop/key.json',
      'resources/secrets/v1-preferredversion/namespaces/shop/key.json',
    ]);
    expect(JSON.parse(files.get('resources/configmaps/namespaces/shop/settings.json') ?? '')).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'shop' },
      data: { a: '1' },
    });
    expect([outcome.itemsBackedUp, outcome.totalItems]).toEqual([3, 3]);
    expect(resourceList).toEqual({
      'v1/ConfigMap': ['shop/settings'],
      'v1/Namespace': ['shop'],
      'v1/Secret': ['shop/key'],
    });
    expect([...world.lines('warn'), ...world.lines('error')]).toEqual([]);
  });
});
