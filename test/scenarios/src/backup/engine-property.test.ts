import { type BackupSpec, labels as labelKeys, type Unstructured } from '@lateen/api-types';
import { parseItemPath } from '@lateen/archive';
import { type BackupItemAction, builtInActions, type ItemIdentifier } from '@lateen/item-actions';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engineWorld } from './engine-world.ts';

/*
 * The expected content of a backup, computed a second time in the simplest way: over all objects at once, as backup-and-restore.md sections
 * 2 to 4 describe it, without pages, filters, indexes or blocks.
 */

const resources = {
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap', namespaced: true },
  pods: { apiVersion: 'v1', kind: 'Pod', namespaced: true },
  persistentvolumeclaims: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespaced: true },
  persistentvolumes: { apiVersion: 'v1', kind: 'PersistentVolume', namespaced: false },
  'gears.example.com': { apiVersion: 'example.com/v1', kind: 'Gear', namespaced: true },
  'wheels.example.com': { apiVersion: 'example.com/v1', kind: 'Wheel', namespaced: false },
} as const;
type Resource = keyof typeof resources;
const resourceNames = Object.keys(resources) as Resource[];

interface Thing {
  resource: Resource;
  /** "" for cluster-scoped objects. */
  namespace: string;
  name: string;
  color: string;
  hidden: boolean;
  terminating: boolean;
  /** Claims of a pod; the volume of a claim. */
  volumes: string[];
  running: boolean;
  /** Objects that an action names, and whether they must be included. */
  refs: { place: string; must: boolean }[];
}

const placeOf = ({ resource, namespace, name }: Pick<Thing, 'resource' | 'namespace' | 'name'>): string =>
  `${resource} ${namespace === '' ? '' : `${namespace}/`}${name}`;

function naive(things: readonly Thing[], namespaces: readonly string[], spec: BackupSpec): Set<string> {
  const byPlace = new Map(things.map((thing) => [placeOf(thing), thing]));
  const isMeant = (name: string, patterns: readonly string[]) =>
    patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name));
  const includedNames = spec.includedNamespaces ?? [];
  const excludedNames = spec.excludedNamespaces ?? [];
  const isIncludedNamespace = (name: string) =>
    (includedNames.length === 0 || isMeant(name, includedNames)) && !isMeant(name, excludedNames);
  const excludesSome = excludedNames.some(
    (name) => !name.includes('*') || namespaces.some((live) => isMeant(live, [name])),
  );
  const includesAll = includedNames.length === 0 || includedNames.includes('*');
  // Including all namespaces by name is the same as including the whole cluster.
  const everything =
    !excludesSome &&
    (includesAll || (namespaces.length > 0 && namespaces.every((name) => isMeant(name, includedNames))));
  const included = spec.includedResources ?? [];
  const excluded = spec.excludedResources ?? [];
  const cluster = spec.includeClusterResources ?? undefined;
  const isListedResource = (resource: Resource) => {
    if (excluded.includes(resource)) return false;
    if (!resources[resource].namespaced && (cluster === false || (cluster === undefined && !everything))) return false;
    return included.length === 0 || included.includes(resource);
  };
  const isAdditionalResource = (resource: Resource) => {
    if (excluded.includes(resource)) return false;
    if (resources[resource].namespaced) return included.length === 0 || included.includes(resource);
    if (cluster === undefined && included.length > 0 && !included.includes(resource)) return false;
    return cluster !== false;
  };
  const wanted = [...(spec.labelSelector ? [spec.labelSelector] : []), ...(spec.orLabelSelectors ?? [])];
  const hasColor = (color: string) =>
    wanted.length === 0 || wanted.some(({ matchLabels }) => matchLabels?.color === color);
  const isOut = ({ hidden, namespace }: Thing) => hidden || (namespace !== '' && !isIncludedNamespace(namespace));

  const stored = new Set<string>();
  const take = (thing: Thing | undefined, allowed: (thing: Thing) => boolean) => {
    if (thing === undefined || thing.terminating || stored.has(placeOf(thing)) || !allowed(thing)) return;
    stored.add(placeOf(thing));
    const along = (place: string, must = false) =>
      take(byPlace.get(place), (other) => must || (!isOut(other) && isAdditionalResource(other.resource)));
    for (const { place, must } of thing.refs) along(place, must);
    const { resource, namespace, name, volumes } = thing;
    if (resource === 'pods') for (const claim of volumes) along(`persistentvolumeclaims ${namespace}/${claim}`);
    if (resource !== 'persistentvolumeclaims') return;
    for (const volume of volumes) along(`persistentvolumes ${volume}`);
    for (const pod of things)
      if (pod.resource === 'pods' && pod.running && pod.namespace === namespace && pod.volumes.includes(name))
        along(placeOf(pod));
  };
  for (const thing of things)
    take(thing, (one) => !isOut(one) && isListedResource(one.resource) && hasColor(one.color));

  const kept = namespaces.filter((name) => {
    const hasItems = [...stored].some((place) => place.includes(` ${name}/`));
    return isIncludedNamespace(name) && (hasItems || wanted.length === 0 || !everything);
  });
  return new Set([...stored, ...kept.map((name) => `namespaces ${name}`)]);
}

const namespaceNames = ['red', 'green', 'grey'];

const thing = fc
  .record({
    resource: fc.constantFrom(...resourceNames),
    namespace: fc.constantFrom(...namespaceNames),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    color: fc.constantFrom('blue', 'pink', ''),
    hidden: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    terminating: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    volumes: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 2 }),
    running: fc.boolean(),
    refs: fc.array(
      fc.record({
        place: fc
          .tuple(fc.constantFrom(...resourceNames), fc.constantFrom(...namespaceNames), fc.constantFrom('a', 'b', 'c'))
          .map(([resource, namespace, name]) =>
            placeOf({ resource, namespace: resources[resource].namespaced ? namespace : '', name }),
          ),
        must: fc.boolean(),
      }),
      { maxLength: 2 },
    ),
  })
  .map((one): Thing => {
    const { namespaced } = resources[one.resource];
    const volumes = one.resource === 'persistentvolumeclaims' ? one.volumes.slice(0, 1) : one.volumes;
    return { ...one, volumes, namespace: namespaced ? one.namespace : '' };
  });

const patterns = fc.uniqueArray(fc.constantFrom(...namespaceNames, 'gr*', 'r*d'), { maxLength: 2 });
const selector = fc.constantFrom('blue', 'pink').map((color) => ({ matchLabels: { color } }));
const spec = fc.record(
  {
    includedNamespaces: fc.oneof(patterns, fc.constant(['*'] as string[])),
    excludedNamespaces: patterns,
    includedResources: fc.uniqueArray(fc.constantFrom(...resourceNames), { maxLength: 3 }),
    excludedResources: fc.uniqueArray(fc.constantFrom(...resourceNames), { maxLength: 2 }),
    includeClusterResources: fc.boolean(),
    labelSelector: selector,
  },
  { requiredKeys: [] },
);
const withOrSelectors = fc
  .tuple(spec, fc.option(fc.array(selector, { minLength: 1, maxLength: 2 }), { nil: undefined }))
  .map(([one, orLabelSelectors]): BackupSpec => {
    if (orLabelSelectors === undefined) return one;
    const { labelSelector: _, ...rest } = one;
    return { ...rest, orLabelSelectors };
  });

function objectOf({
  resource,
  namespace,
  name,
  color,
  hidden,
  terminating,
  volumes,
  running,
  refs,
}: Thing): Unstructured {
  const { apiVersion, kind } = resources[resource];
  const labels = {
    ...(color === '' ? {} : { color }),
    ...(hidden ? { [labelKeys.excludeFromBackup]: 'true' } : {}),
  };
  const metadata = {
    name,
    ...(namespace === '' ? {} : { namespace }),
    labels,
    annotations: { refs: JSON.stringify(refs) },
    ...(terminating ? { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['test/keep'] } : {}),
  };
  if (resource === 'pods') {
    const mounted = volumes.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    const spec = { containers: [{ name: 'main', image: 'x' }], volumes: mounted };
    return { apiVersion, kind, metadata, spec, status: { phase: running ? 'Running' : 'Pending' } };
  }
  if (resource === 'persistentvolumeclaims') {
    const [volumeName] = volumes;
    const bound = volumeName === undefined ? {} : { volumeName };
    return {
      apiVersion,
      kind,
      metadata,
      spec: bound,
      status: { phase: volumeName === undefined ? 'Pending' : 'Bound' },
    };
  }
  return { apiVersion, kind, metadata, spec: {} };
}

function idOf(place: string): ItemIdentifier {
  const [groupResource = '', path = ''] = place.split(' ');
  const [resource = '', ...group] = groupResource.split('.');
  const [name = '', namespace] = path.split('/').toReversed();
  return { group: group.join('.'), resource, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Two actions, because must-include holds for all items that one action names. */
const naming = [true, false].map(
  (wanted): BackupItemAction => ({
    name: `test/${wanted ? 'must' : 'may'}`,
    appliesTo: {},
    execute: async (item) => {
      const refs = JSON.parse(item.metadata.annotations?.refs ?? '[]') as Thing['refs'];
      const additionalItems = refs.filter(({ must }) => must === wanted).map(({ place }) => idOf(place));
      if (!wanted) return { item, additionalItems };
      const annotations = { ...item.metadata.annotations, 'backup.velero.io/must-include-additional-items': 'true' };
      return { item: { ...item, metadata: { ...item.metadata, annotations } }, additionalItems };
    },
  }),
);

const pipes = fc.record({
  pageItems: fc.integer({ min: 1, max: 5 }),
  listsMax: fc.integer({ min: 1, max: 6 }),
  itemsMax: fc.integer({ min: 1, max: 4 }),
  itemBlockWorkers: fc.integer({ min: 1, max: 4 }),
  heldBytesMax: fc.constantFrom(0, 300, 1_000_000),
});

describe('the collection engine', () => {
  it('stores exactly what the rules say for any cluster, each object once, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(thing, { selector: placeOf, maxLength: 25 }),
        withOrSelectors,
        pipes,
        fc.integer({ min: 0, max: 40 }),
        async (things, spec, limits, compactAt) => {
          const builtIn = builtInActions({ csi: false });
          const world = engineWorld({
            objects: things.map(objectOf),
            limits,
            actions: { backup: [...naming, ...builtIn.backup], block: builtIn.block },
          });
          for (const name of ['default', 'kube-system', 'velero'])
            world.cluster.remove(
              { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false },
              { name },
            );
          let calls = 0;
          world.cluster.intercept(async (_, next) => {
            if (++calls === compactAt) {
              world.cluster.put({
                apiVersion: 'example.com/v1',
                kind: 'Clock',
                metadata: { name: 'tick', namespace: 'outside' },
              });
              world.cluster.compact();
            }
            return next();
          });
          const live = [...new Set(things.map(({ namespace }) => namespace))].filter((name) => name !== '');
          const { files, outcome, resourceList } = await world.run(spec);
          const stored = [...files.keys()].flatMap((path) => {
            const item = parseItemPath(path);
            if (item === undefined || item.version !== undefined || item.groupResource === 'clocks.example.com')
              return [];
            const { groupResource, namespace, name } = item;
            const isOutside = namespace === 'outside' || (groupResource === 'namespaces' && name === 'outside');
            return isOutside ? [] : `${groupResource} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
          });
          expect(stored.sort()).toEqual([...naive(things, live, spec)].sort());
          expect(outcome.itemsBackedUp).toBe(Object.values(resourceList).flat().length);
          expect(new Set(stored).size).toBe(stored.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
