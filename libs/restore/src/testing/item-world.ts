import type { Backup, RestoreSpec, Unstructured } from '@lateen/api-types';
import type { RestoreItemOutcome } from '@lateen/backup-store';
import type { ItemIdentifier, RestoreItemAction } from '@lateen/item-actions';
import type { ResourcePolicies } from '@lateen/item-filters';
import type { Clock, LogFields, Logger, Random } from '@lateen/kernel';
import {
  groupResourceText,
  type KubeApi,
  type ObjectKey,
  parseExact,
  type ResourceType,
  stringify,
} from '@lateen/kube';
import type { Catalog, CatalogItem, RestoreEngineRequest, RunningRestore } from '../engine/contract.ts';
import type { ItemRun, RestoreItemOrigin, VolumeDecision } from '../engine/item-run.ts';
import { compileFilters } from '../item/item-filters.ts';
import { restoreItem } from '../item/restore-item.ts';
import { catalogItemOf, knownTypes, typeOfObject } from './known-types.ts';

/** What the testing library provides; only test files may import it. */
export interface TestingPorts<Cluster extends TestCluster> {
  clock: Clock;
  random: Random;
  cluster: Cluster;
  log: Logger & { readonly lines: readonly { level: string; message: string; fields: LogFields }[] };
  letTimePass<T>(work: Promise<T>): Promise<T>;
}

interface TestCluster extends KubeApi {
  put(...objects: readonly Unstructured[]): unknown;
  find(type: ResourceType, key: ObjectKey): unknown;
}

/** One object of a backup, and the cluster that it is restored into. */
export interface ItemCase<Cluster = unknown> {
  /** As stored in the backup; a string gives the bytes themselves, for numbers that JavaScript cannot represent. */
  object: Unstructured | { text: string };
  /** Objects that are in the cluster before the restore. */
  there?: readonly Unstructured[];
  spec?: RestoreSpec;
  policies?: ResourcePolicies;
  actions?: readonly RestoreItemAction[];
  dryRun?: boolean;
  origin?: RestoreItemOrigin;
  /** Further objects in the archive. */
  alsoArchived?: readonly Unstructured[];
  /** The versions of the object's resource in the archive. */
  versions?: readonly string[];
  /** The error that reading the object from the archive returns. */
  unreadable?: Error;
  /** A resource that the cluster does not serve. */
  unserved?: string;
  decideVolume?: (volume: Unstructured) => VolumeDecision;
  prepareClaim?: (claim: Unstructured) => Unstructured;
  request?: Partial<RestoreEngineRequest>;
  cluster?: (cluster: Cluster) => void;
}

export interface ItemCaseEnd {
  outcome: RestoreItemOutcome;
  /** The object that the cluster now has under this key. */
  now: Unstructured | undefined;
  /** `warn: could not restore, …`, for warnings and errors. */
  lines: string[];
  ensured: string[];
  podsCreated: string[];
}

/** The creation time of the Restore `back`; objects that it creates are younger. */
export const restoreMadeAt = '2030-01-01T00:00:00Z';

const stored = (object: ItemCase['object']): string =>
  'text' in object && typeof object.text === 'string' ? object.text : stringify(object);

function catalogOf(given: Pick<ItemCase, 'object' | 'alsoArchived' | 'versions' | 'unreadable'>): {
  catalog: Catalog;
  item: CatalogItem;
} {
  const texts = new Map(
    [given.object, ...(given.alsoArchived ?? [])].map((object): [CatalogItem, string] => {
      const text = stored(object);
      return [catalogItemOf(JSON.parse(text)), text];
    }),
  );
  const items = [...texts.keys()];
  const catalog: Catalog = {
    items,
    find: (id) =>
      items.find(
        ({ groupResource, namespace, name }) =>
          groupResource === (id.group === '' ? id.resource : `${id.resource}.${id.group}`) &&
          namespace === id.namespace &&
          name === id.name,
      ),
    versionsOf: () => given.versions ?? [],
    read: async (item, _signal, version) => {
      if (given.unreadable !== undefined) throw given.unreadable;
      const object = parseExact(texts.get(item) ?? '') as Unstructured;
      const [group] = object.apiVersion.split('/');
      return version === undefined || !object.apiVersion.includes('/')
        ? object
        : { ...object, apiVersion: `${group}/${version}` };
    },
    close: async () => {},
  };
  return { catalog, item: items[0] as CatalogItem };
}

function requestOf(given: Pick<ItemCase, 'spec' | 'policies' | 'request'>, catalog: Catalog): RestoreEngineRequest {
  const restore: RunningRestore = {
    apiVersion: 'velero.io/v1',
    kind: 'Restore',
    metadata: { namespace: 'velero', name: 'back', uid: 'restore-1', creationTimestamp: restoreMadeAt },
    spec: { backupName: 'daily', ...given.spec },
    status: { phase: 'InProgress' },
  };
  const backup: Backup = {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { namespace: 'velero', name: 'daily' },
    spec: {},
  };
  return {
    restore,
    backup,
    catalog,
    volumes: [],
    priorities: [],
    ...(given.policies === undefined ? {} : { policies: given.policies }),
    ...given.request,
  };
}

interface Seen {
  ensured: string[];
  podsCreated: string[];
}

function runOf<Cluster extends TestCluster>(
  given: ItemCase<Cluster>,
  catalog: Catalog,
  { cluster, clock, random, log }: TestingPorts<Cluster>,
  seen: Seen,
): ItemRun {
  const types = [...knownTypes.values()].filter((type) => groupResourceText(type) !== given.unserved);
  const request = requestOf(given, catalog);
  const mapping = request.restore.spec.namespaceMapping;
  return {
    ports: {
      kube: cluster,
      clock,
      random,
      log,
      veleroNamespace: 'velero',
      dryRun: given.dryRun ?? false,
      actions: given.actions ?? [],
      limits: { additionalItemsReadyTimeoutMs: 60_000, terminatingTimeoutMs: 600_000 },
    },
    request,
    types: { find: (resource: string) => types.find((type) => groupResourceText(type) === resource) },
    filters: compileFilters(request, types),
    namespaces: {
      mapped: (namespace: string) => mapping?.[namespace] ?? namespace,
      ensure: async (namespace: string) => void seen.ensured.push(namespace),
      isPlanned: (namespace: string) => namespace !== 'shop',
    },
    additional: { restore: async () => [], whileWaiting: (_item: CatalogItem, wait: () => Promise<unknown>) => wait() },
    volumes: {
      decide: async (volume: Unstructured) => given.decideVolume?.(volume) ?? { restore: true, volume },
      prepareClaim: async (claim: Unstructured) => given.prepareClaim?.(claim) ?? claim,
    },
    podHooks: { podCreated: ({ metadata }: Unstructured) => void seen.podsCreated.push(metadata.name ?? '') },
    // As if everything in the archive had already been restored.
    isRestored: (named: ItemIdentifier) => request.catalog.find(named) !== undefined,
    addOperation: () => {},
  } as unknown as ItemRun;
}

/** Restores the object on a clock that advances by itself. The clock has to start after {@link restoreMadeAt}. */
export async function restoreInto<Cluster extends TestCluster>(
  ports: TestingPorts<Cluster>,
  given: ItemCase<Cluster>,
): Promise<ItemCaseEnd> {
  const { cluster, log } = ports;
  for (const name of ['shop', 'shop-two', 'velero'])
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  cluster.put(...(given.there ?? []));
  given.cluster?.(cluster);
  const seen: Seen = { ensured: [], podsCreated: [] };
  const { catalog, item } = catalogOf(given);
  const run = runOf(given, catalog, ports, seen);
  const outcome = await ports.letTimePass(restoreItem(run, item, given.origin ?? {}, new AbortController().signal));
  const { namespace, name } = outcome;
  const type = typeOfObject({ apiVersion: item.apiVersion, kind: item.kind, metadata: {} });
  const now = cluster.find(type, namespace === undefined ? { name } : { namespace, name }) as Unstructured | undefined;
  const lines = log.lines
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ level, message }) => `${level}: ${message}`);
  return { outcome, now, lines, ...seen };
}
