import { annotations, labels, type Unstructured } from '@lateen/api-types';
import { parseItemPath } from '@lateen/archive';
import type { BackupItemAction } from '@lateen/item-actions';
import { keyText, parseExact } from '@lateen/kube';
import { aConfigMap, aNamespace, aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { engineWorld } from './engine-world.ts';

const shop = [
  aNamespace({ name: 'shop' }),
  aConfigMap({ name: 'settings', namespace: 'shop', data: { a: '1' } }),
  aSecret({ name: 'key', namespace: 'shop', values: { password: 'hunter2' } }),
  aConfigMap({ name: 'other', namespace: 'elsewhere' }),
];

const inShop = { includedNamespaces: ['shop'] };

const paths = (files: ReadonlyMap<string, string>): string[] => [...files.keys()].sort();
/** Without the copies below the version directory. */
const places = (files: ReadonlyMap<string, string>): string[] =>
  paths(files).flatMap((path) => {
    const item = parseItemPath(path);
    if (item === undefined || item.version !== undefined) return [];
    return `${item.groupResource} ${keyText(item)}`;
  });

/** An action for ConfigMaps that does what `execute` returns for each. */
function action(
  execute: (item: Unstructured) => Partial<Awaited<ReturnType<BackupItemAction['execute']>>>,
  appliesTo: BackupItemAction['appliesTo'] = { includedResources: ['configmaps'] },
): BackupItemAction {
  return { name: 'test/action', appliesTo, execute: async (item) => ({ item, ...execute(item) }) };
}

describe('the archive of the collection engine', () => {
  it('has each object of the namespace at both of its paths, and the namespace', async () => {
    const world = engineWorld({ objects: shop });
    const { files, outcome, resourceList, itemOutcomes } = await world.run(inShop);
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
    expect(itemOutcomes).toContainEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'shop',
      name: 'key',
      outcome: 'BackedUp',
    });
    expect(itemOutcomes).toHaveLength(3);
    expect([...world.lines('warn'), ...world.lines('error')]).toEqual([]);
  });

  it('keeps numbers, unknown fields and the order of fields', async () => {
    const text = '{"z":9007199254740993,"a":[1.0,-0,1e3],"unknown":{"x":null},"text":"1.50 9007199254740993"}';
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'shop' },
      spec: parseExact(text) as object,
    };
    const { files } = await engineWorld({ objects: [...shop, widget] }).run(inShop);
    expect(files.get('resources/widgets.example.com/namespaces/shop/w.json')).toContain(`"spec":${text}`);
  });

  it('removes the annotations with which actions inform the engine', async () => {
    const own = { [annotations.mustIncludeAdditionalItems]: 'true', [annotations.skippedNoCsiPv]: 'true' };
    const { files } = await engineWorld({
      objects: [
        aConfigMap({ name: 'kept', namespace: 'shop', annotations: { ...own, mine: 'yes' } }),
        aConfigMap({ name: 'bare', namespace: 'shop', annotations: own }),
      ],
    }).run(inShop);
    const metadataOf = (name: string) =>
      JSON.parse(files.get(`resources/configmaps/namespaces/shop/${name}.json`) ?? '').metadata;
    expect([metadataOf('kept').annotations, metadataOf('bare').annotations]).toEqual([{ mine: 'yes' }, undefined]);
  });

  it('does not have objects that are being deleted or have the exclude label, and the log says so', async () => {
    const world = engineWorld({
      objects: [
        ...shop,
        aConfigMap({ name: 'hidden', namespace: 'shop', labels: { [labels.excludeFromBackup]: 'true' } }),
        aConfigMap({
          name: 'going',
          namespace: 'shop',
          metadata: { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['a/b'] },
        }),
      ],
    });
    const { files, itemOutcomes } = await world.run(inShop);
    expect(places(files)).toEqual(['configmaps shop/settings', 'namespaces shop', 'secrets shop/key']);
    expect(itemOutcomes.filter(({ outcome }) => outcome === 'Skipped').map(({ name }) => name)).toEqual([
      'going',
      'hidden',
    ]);
  });

  it('has each object once when several selectors match it', async () => {
    const { files, resourceList } = await engineWorld({
      objects: [
        aConfigMap({ name: 'both', namespace: 'shop', labels: { a: '1', b: '1' } }),
        aConfigMap({ name: 'one', namespace: 'shop', labels: { b: '1' } }),
        aConfigMap({ name: 'none', namespace: 'shop' }),
      ],
    }).run({ orLabelSelectors: [{ matchLabels: { a: '1' } }, { matchLabels: { b: '1' } }] });
    expect(resourceList['v1/ConfigMap']).toEqual(['shop/both', 'shop/one']);
    expect(places(files).filter((place) => place.startsWith('configmaps'))).toHaveLength(2);
  });

  it('has every version of a resource when all versions are asked for, and the preferred one at three paths in all', async () => {
    const types = await engineWorld({ objects: shop }).cluster.resourceTypes();
    const configMaps = types.find(({ resource }) => resource === 'configmaps');
    if (configMaps === undefined) throw new Error('no config maps');
    const old = { ...configMaps, version: 'v1beta1', preferred: false };
    const run = (allVersions: boolean) =>
      engineWorld({ objects: shop, types: [...types, old], allVersions }).run(inShop);
    const ofMaps = ({ files }: { files: Map<string, string> }) =>
      paths(files).filter((path) => path.includes('configmaps'));
    expect(ofMaps(await run(true))).toEqual([
      'resources/configmaps/namespaces/shop/settings.json',
      'resources/configmaps/v1-preferredversion/namespaces/shop/settings.json',
      'resources/configmaps/v1beta1/namespaces/shop/settings.json',
    ]);
    expect(ofMaps(await run(false))).toHaveLength(2);
  });

  it('reports its progress once a second', async () => {
    const world = engineWorld({
      objects: Array.from({ length: 30 }, (_, at) => aConfigMap({ name: `c${at}`, namespace: 'shop' })),
      limits: { itemsMax: 1 },
      actions: {
        backup: [
          {
            name: 'test/slow',
            appliesTo: { includedResources: ['configmaps'] },
            execute: async (item, { clock }) => {
              await clock.sleep(100);
              return { item };
            },
          },
        ],
      },
    });
    const run = world.run(inShop);
    await world.clock.advanceUntil(() => world.progress.length >= 3);
    await world.clock.advance(10_000);
    const { outcome } = await run;
    expect(outcome.itemsBackedUp).toBe(31);
    expect(world.progress.map(({ itemsBackedUp }) => itemsBackedUp)).toEqual([1, 11, 21]);
    expect(world.progress.every(({ totalItems }) => totalItems === 30)).toBe(true);
  });
});

describe('backup item actions', () => {
  const other = { group: '', resource: 'configmaps', namespace: 'elsewhere', name: 'other' };

  it('change the stored object, one after the other', async () => {
    const add = (key: string) =>
      action((item) => ({
        item: { ...item, data: { ...(item.data as object), [key]: String(Object.keys(item.data as object).length) } },
      }));
    const { files } = await engineWorld({ objects: shop, actions: { backup: [add('x'), add('y')] } }).run(inShop);
    const stored = JSON.parse(files.get('resources/configmaps/namespaces/shop/settings.json') ?? '');
    expect(stored.data).toEqual({ a: '1', x: '1', y: '2' });
  });

  it('run only for the items that they select', async () => {
    const seen: string[] = [];
    const watcher = (appliesTo: BackupItemAction['appliesTo']) =>
      action(({ kind, metadata: { name } }) => {
        seen.push(`${kind} ${name}`);
        return {};
      }, appliesTo);
    const backup = [
      watcher({ includedResources: ['secrets'] }),
      watcher({ labelSelector: 'a=b' }),
      watcher({ includedNamespaces: ['elsewhere'], excludedResources: ['namespaces'] }),
    ];
    await engineWorld({ objects: shop, actions: { backup } }).run(inShop);
    expect(seen).toEqual(['Secret key']);
  });

  it('exclude an item by failing, which is logged as an error with its reason', async () => {
    const backup = [
      action(() => {
        throw new Error('no such luck');
      }),
    ];
    const world = engineWorld({ objects: shop, actions: { backup } });
    const { files, itemOutcomes, outcome } = await world.run(inShop);
    expect(places(files)).toEqual(['namespaces shop', 'secrets shop/key']);
    expect(world.lines('error')).toEqual(['configmaps shop/settings: Error backing up item']);
    expect(String(world.log.lines.find(({ level }) => level === 'error')?.fields.err)).toContain('test/action');
    expect(itemOutcomes).toContainEqual(
      expect.objectContaining({ name: 'settings', outcome: 'Failed', reason: 'no such luck', by: 'test/action' }),
    );
    expect(outcome.itemsBackedUp).toBe(2);
  });

  it('can warn about an item that is stored nevertheless, which its outcome says', async () => {
    const warning: BackupItemAction = {
      name: 'test/warning',
      appliesTo: { includedResources: ['configmaps'] },
      execute: async (item, { log }) => {
        log.child({ more: 1 }).warn({ err: new Error('half of it is missing') }, 'item is not whole');
        return { item };
      },
    };
    const world = engineWorld({ objects: shop, actions: { backup: [warning] } });
    const { itemOutcomes, resourceList } = await world.run(inShop);
    expect(resourceList['v1/ConfigMap']).toEqual(['shop/settings']);
    expect(itemOutcomes.filter(({ name }) => name === 'settings')).toEqual([
      expect.objectContaining({
        outcome: 'Warning',
        reason: 'item is not whole: half of it is missing',
        by: 'test/warning',
      }),
    ]);
    expect(world.lines('warn')).toEqual(['configmaps shop/settings: item is not whole']);
  });

  it('exclude an item with an annotation, also when it must be included', async () => {
    const skip = (item: Unstructured) => ({
      item: {
        ...item,
        metadata: {
          ...item.metadata,
          annotations: { [annotations.skipFromBackup]: 'true', [annotations.mustIncludeAdditionalItems]: 'true' },
        },
      },
      additionalItems: [other],
    });
    const world = engineWorld({ objects: shop, actions: { backup: [action(skip)] } });
    const { files, itemOutcomes } = await world.run(inShop);
    expect(places(files)).toEqual(['namespaces shop', 'secrets shop/key']);
    expect(itemOutcomes).toContainEqual(expect.objectContaining({ name: 'settings', outcome: 'Skipped' }));
    expect(world.lines('error')).toEqual([]);
  });

  it('add additional items, each once, and do not read listed ones again', async () => {
    const secret = { group: '', resource: 'secrets', namespace: 'shop', name: 'key' };
    const map = { group: '', resource: 'configmaps', namespace: 'shop', name: 'settings' };
    const backup = [
      action(({ metadata: { name } }) => (name === 'settings' ? { additionalItems: [secret, map, secret] } : {})),
    ];
    const world = engineWorld({ objects: shop, actions: { backup } });
    const { resourceList } = await world.run({ ...inShop, includedResources: ['configmaps', 'secrets'] });
    expect(resourceList['v1/Secret']).toEqual(['shop/key']);
    expect(world.cluster.calls.filter(({ verb }) => verb === 'get')).toEqual([]);
  });

  it('run for additional items, whose own additional items are added too', async () => {
    const link = (name: string, next?: string) =>
      aConfigMap({
        name,
        namespace: 'shop',
        labels: { list: name === 'a' ? 'yes' : 'no' },
        data: { next: next ?? '' },
      });
    const backup = [
      action(({ data }) => {
        const { next } = data as { next: string };
        const id = { group: '', resource: 'configmaps', namespace: 'shop', name: next };
        return next === '' ? {} : { additionalItems: [id] };
      }),
    ];
    const world = engineWorld({
      objects: [link('a', 'b'), link('b', 'c'), link('c', 'a'), link('d')],
      actions: { backup },
    });
    const { resourceList } = await world.run({ ...inShop, labelSelector: { matchLabels: { list: 'yes' } } });
    expect(resourceList['v1/ConfigMap']).toEqual(['shop/a', 'shop/b', 'shop/c']);
  });

  it.each([
    { must: 'true', expected: ['elsewhere/other', 'shop/settings'] },
    { must: 'false', expected: ['shop/settings'] },
  ])('bring along what filters leave out only when it must be (%o)', async ({ must, expected }) => {
    const backup = [
      action((item) => ({
        item: {
          ...item,
          metadata: { ...item.metadata, annotations: { [annotations.mustIncludeAdditionalItems]: must } },
        },
        additionalItems: item.metadata.name === 'settings' ? [other] : [],
      })),
    ];
    const { resourceList } = await engineWorld({ objects: shop, actions: { backup } }).run(inShop);
    expect(resourceList['v1/ConfigMap']).toEqual(expected);
  });

  it('may name items that do not exist: a warning is logged, and the item itself is stored', async () => {
    const names = [
      { group: '', resource: 'configmaps', namespace: 'shop', name: 'gone' },
      { group: 'nowhere.example', resource: 'widgets', namespace: 'shop', name: 'w' },
      { group: '', resource: 'configmaps', namespace: 'shop', name: '' },
    ];
    const backup = [action(() => ({ additionalItems: names }))];
    const world = engineWorld({ objects: shop, actions: { backup } });
    const { resourceList } = await world.run(inShop);
    expect(resourceList['v1/ConfigMap']).toEqual(['shop/settings']);
    expect(world.lines('warn').sort()).toEqual([
      'configmaps shop/: additional item has no name that an object can have',
      'configmaps shop/gone: additional item is not in the cluster',
      'widgets.nowhere.example shop/w: additional item is of no known resource',
    ]);
    expect(world.lines('error')).toEqual([]);
  });

  it('start asynchronous operations', async () => {
    const post = { group: 'velero.io', resource: 'datauploads', namespace: 'velero', name: 'du' };
    const backup = [action(() => ({ operationId: 'op-1', postOperationItems: [post] }))];
    const { outcome } = await engineWorld({ objects: shop, actions: { backup } }).run(inShop);
    expect(outcome.operations).toEqual([
      {
        spec: {
          backupName: 'nightly',
          backupUID: 'backup-uid',
          backupItemAction: 'test/action',
          resourceIdentifier: { Group: '', Resource: 'configmaps', Namespace: 'shop', Name: 'settings' },
          operationID: 'op-1',
          postOperationItems: [{ Group: 'velero.io', Resource: 'datauploads', Namespace: 'velero', Name: 'du' }],
        },
        status: { phase: 'New', created: '2030-01-01T00:00:00Z' },
      },
    ]);
  });

  it('get endItems called once', async () => {
    let ended = 0;
    const ending: BackupItemAction = {
      ...action(() => ({})),
      endItems: async () => {
        ended++;
      },
    };
    await engineWorld({ objects: shop, actions: { backup: [ending] } }).run(inShop);
    expect(ended).toBe(1);
  });
});

describe('namespaces', () => {
  it('are stored when an object in them is stored', async () => {
    const objects = [
      aConfigMap({ name: 'a', namespace: 'one', labels: { app: 'x' } }),
      aConfigMap({ name: 'b', namespace: 'two' }),
    ];
    const { resourceList } = await engineWorld({ objects }).run({ labelSelector: { matchLabels: { app: 'x' } } });
    expect(resourceList['v1/Namespace']).toEqual(['one']);
  });

  it('are reported missing when named explicitly, not when a glob matches nothing', async () => {
    const world = engineWorld({ objects: shop });
    await world.run({ includedNamespaces: ['shop', 'gone', 'else*', 'no*'] });
    expect(world.lines('error')).toEqual([
      'namespaces gone: fail to get the namespace gone specified in backup.Spec.IncludedNamespaces',
    ]);
    expect(world.lines('warn')).toEqual([]);
  });

  it.each([
    { spec: { includedNamespaces: ['shop', 'elsewhere'] }, level: 'error' as const, lines: 1 },
    { spec: { includedNamespaces: ['*here', 'shop'] }, level: 'warn' as const, lines: 1 },
    { spec: {}, level: 'warn' as const, lines: 0 },
    { spec: { excludedNamespaces: ['elsewhere'] }, level: 'error' as const, lines: 0 },
  ])('that are deleted meanwhile are reported by how the spec named them: %o', async ({ spec, level, lines }) => {
    const world = engineWorld({ objects: shop });
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'list' && call.type.resource === 'secrets')
        world.cluster.remove(
          { ...call.type, resource: 'namespaces', kind: 'Namespace', namespaced: false },
          { name: 'elsewhere' },
        );
      return next();
    });
    await world.run(spec);
    expect([world.lines(level).length, world.lines('warn').length + world.lines('error').length]).toEqual([
      lines,
      lines,
    ]);
  });
});

describe('custom resource definitions', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true }],
    },
  };
  const unused = {
    ...definition,
    metadata: { name: 'gears.example.com' },
    spec: { ...definition.spec, names: { plural: 'gears', kind: 'Gear' } },
  };
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'shop' } };
  const objects = [...shop, definition, unused, widget];

  it('are stored with their objects when the backup includes only namespaces', async () => {
    const world = engineWorld({ objects });
    const { resourceList } = await world.run(inShop);
    expect(resourceList['apiextensions.k8s.io/v1/CustomResourceDefinition']).toEqual(['widgets.example.com']);
    expect(world.lines('warn')).toEqual([]);
  });

  it('are all stored in a backup of everything, and none when they are excluded', async () => {
    const { resourceList } = await engineWorld({ objects }).run();
    expect(resourceList['apiextensions.k8s.io/v1/CustomResourceDefinition']).toHaveLength(2);
    const without = await engineWorld({ objects }).run({
      ...inShop,
      excludedResources: ['customresourcedefinitions.apiextensions.k8s.io'],
    });
    expect(without.resourceList['apiextensions.k8s.io/v1/CustomResourceDefinition']).toBeUndefined();
  });
});

describe('ordered resources', () => {
  it('come first and in the given order, one by one; unknown ones are a warning', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const world = engineWorld({ objects: names.map((name) => aConfigMap({ name, namespace: 'shop' })) });
    const { files } = await world.run({
      ...inShop,
      orderedResources: { configmaps: ' shop/c,shop/gone , shop/a', gadgets: 'x' },
    });
    const order = [...files.keys()].filter((path) => path.startsWith('resources/configmaps/namespaces'));
    expect(order.map((path) => path.at(-6))).toEqual(['c', 'a', 'b', 'd']);
    expect(world.lines('warn')).toEqual([
      'gadgets: ordered resource has no effect',
      'configmaps shop/gone: ordered item is not in the cluster',
    ]);
  });
});
