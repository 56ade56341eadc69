import type { RestoreItemOutcome, RestoreOperation } from '@lateen/backup-store';
import { Places } from '@lateen/kernel';
import { CallPace, firstCalls, pacedApi } from '@lateen/kube-runtime';
import { chooseVersion } from '../item/choose-version.ts';
import { compileFilters, factsOf } from '../item/item-filters.ts';
import { lowestRankFirst } from '../order/rank-line.ts';
import type { RestoreParts, RestorePartsBase } from './compose-run.ts';
import type { CatalogItem, RestoreEnginePorts, RestoreEngineRequest } from './contract.ts';
import { ItemOutcomes } from './item-outcomes.ts';
import type { ItemRun, RestoreItemOrigin } from './item-run.ts';
import { ItemTurns } from './item-turns.ts';
import { RestoredNamespaces } from './namespaces.ts';
import { type ChooseVersion, KnownServedTypes } from './served-types.ts';

/** The limit of backups: a call that takes longer means that the API server is overloaded. */
const slowCallMs = 1_500;

/** Slows a restore hardly, because calls that only wait for each other gain nothing, and the cluster stays responsive (bench/RESULTS.md). */
const others = { slowerAtMost: 3, freeMs: 5, callsMin: 4 } as const;

/** The parts of one run of the engine. */
export interface EngineRun {
  readonly run: ItemRun;
  readonly types: KnownServedTypes;
  readonly namespaces: RestoredNamespaces;
  readonly outcomes: ItemOutcomes;
  readonly turns: ItemTurns;
  readonly places: Places<number>;
  readonly operations: readonly RestoreOperation[];
}

/** Creates the parts of a run; reads which types the cluster serves. */
export async function engineRun(
  given: RestoreEnginePorts,
  request: RestoreEngineRequest,
  parts: (base: RestorePartsBase) => RestoreParts,
  signal: AbortSignal,
): Promise<EngineRun> {
  const { clock, log } = given;
  const { catalog } = request;
  const paceLimits = { callsMin: 1, callsMax: Math.max(1, given.limits.parallel), slowCallMs, others };
  const places = new Places<number>(firstCalls(paceLimits), lowestRankFirst());
  const ports = { ...given, kube: pacedApi(given.kube, new CallPace(places, paceLimits, clock)) };
  const types = new KnownServedTypes(ports.discovery, chosenVersion(request));
  await types.read(signal);
  const filters = compileFilters(request, types.all);
  const outcomes = new ItemOutcomes(clock, ports.onProgress);
  const namespaces = new RestoredNamespaces(ports, request, (outcome) => outcomes.namespaceEnded(outcome));
  const operations: RestoreOperation[] = [];
  const turns = new ItemTurns({
    places,
    outcomes,
    restoreOne: (item, origin, each) => restoreOne(item, origin, each),
    find: (named, { item, action }) => {
      const found = catalog.find(named);
      if (found === undefined) {
        const { group, resource, namespace, name } = named;
        const missing = { ...(namespace === undefined ? {} : { namespace }), name };
        const fields = { resource: group === '' ? resource : `${resource}.${group}`, ...missing, action };
        log.warn({ ...fields, item: item.name }, 'additional item is not in the backup');
      }
      return found;
    },
    isChosen: (item) => filters.decide(factsOf(item)).included,
    lets: (item, { mustInclude }) => filters.decide(factsOf(item), { additional: true, mustInclude }).included,
    isSerial: ports.limits.parallel <= 1,
  });
  const { restoreItem, volumes } = parts({ ports, request, namespaces, types });
  const run: ItemRun = {
    ports,
    request,
    types,
    filters,
    namespaces,
    additional: turns,
    volumes,
    podHooks: ports.podHooks,
    isRestored: (named) => {
      const found = catalog.find(named);
      return found !== undefined && outcomes.isThere(found);
    },
    addOperation: (operation) => operations.push(operation),
  };
  /** Catches errors of one item or action, so that the other items continue. */
  const restoreOne = async (item: CatalogItem, origin: RestoreItemOrigin, each: AbortSignal) => {
    try {
      return await restoreItem(run, item, origin, each);
    } catch (error) {
      each.throwIfAborted();
      const { groupResource: resource, namespace, name, apiVersion, kind } = item;
      const target = namespace === undefined ? {} : { namespace: namespaces.mapped(namespace) };
      log.error({ resource, ...target, name, err: error }, 'Error restoring item');
      return { apiVersion, kind, ...target, name, act: 'fail' } satisfies RestoreItemOutcome;
    }
  };
  return { run, types, namespaces, outcomes, turns, places, operations };
}

function chosenVersion({ catalog, versions }: RestoreEngineRequest): ChooseVersion {
  return (groupResource, served) => {
    const archived = catalog.versionsOf(groupResource);
    return archived.length === 0
      ? served[0]
      : chooseVersion({ archived, served, wanted: versions?.get(groupResource) });
  };
}
