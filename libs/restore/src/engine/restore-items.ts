import { factsOf } from '../item/item-filters.ts';
import { buildGraph, definitionsResource } from '../order/build-graph.ts';
import { gateText } from '../order/gates.ts';
import { PriorityOrder, parsePriorities } from '../order/priorities.ts';
import { itemText, type RestoreGraph } from '../order/restore-graph.ts';
import { placeKey, runGraph } from '../order/run-graph.ts';
import { composeRun } from './compose-run.ts';
import type { CatalogItem, RestoreEnginePorts, RestoreEngineRequest, RestoreItemsOutcome } from './contract.ts';
import { ServedDefinitions } from './definitions.ts';
import { type EngineRun, engineRun } from './engine-run.ts';

/** Lines about edges that were left out; there may be as many as objects. */
const toldCirclesMax = 20;

/**
 * Restores all objects of a catalog that the filters choose, in the order that they need, as many at once as they and the API server bear;
 * with `dryRun` it says what would become of each.
 *
 * What fails for one object is a line of the log, and the others go on. Rejects with the signal's reason, when no object is under way any
 * more; what is restored stays. @throws RESTORE_PRIORITIES_INVALID; KUBE_… when the cluster does not say what it serves
 */
export async function restoreItems(
  given: RestoreEnginePorts,
  request: RestoreEngineRequest,
  signal: AbortSignal,
  parts = composeRun,
): Promise<RestoreItemsOutcome> {
  const engine = await engineRun(given, request, parts, signal);
  const { run, outcomes } = engine;
  for (const warning of run.filters.warnings) given.log.warn({}, warning);
  const chosen = request.catalog.items.filter((item) => isObject(item) && run.filters.decide(factsOf(item)).included);
  const graph = graphOf(chosen, engine);
  tellCircles(graph, engine);
  outcomes.expect(chosen.length);
  given.onProgress(outcomes.progress);
  await workOff(graph, engine, signal);
  const { progress } = outcomes;
  given.onProgress(progress);
  return { ...progress, operations: [...engine.operations], volumes: run.volumes.infos(), items: outcomes };
}

/** Namespaces are made when something is to be restored into them. */
const isObject = ({ groupResource }: CatalogItem): boolean => groupResource !== 'namespaces';

function graphOf(chosen: readonly CatalogItem[], { run, types, namespaces }: EngineRun): RestoreGraph {
  const { catalog, priorities } = run.request;
  const present = [...new Set(chosen.map(({ groupResource }) => groupResource))];
  const order = new PriorityOrder(parsePriorities(priorities), present, (name) => types.named(name));
  return buildGraph(chosen, {
    order,
    mapped: (namespace) => namespaces.mapped(namespace),
    find: (item) => catalog.find(item),
  });
}

function tellCircles({ items, gates, dropped }: RestoreGraph, { run }: EngineRun): void {
  const textOf = (node: number) => {
    const item = items[node];
    const gate = gates[node - items.length];
    return item === undefined ? (gate === undefined ? '' : gateText(gate)) : itemText(item);
  };
  for (const { from, to, reason } of dropped.slice(0, toldCirclesMax)) {
    const fields = { before: textOf(from), after: textOf(to), because: reason };
    run.ports.log.info(fields, 'objects wait for each other in a circle, it is broken by the serial order');
  }
  if (dropped.length > toldCirclesMax)
    run.ports.log.info({ circles: dropped.length }, 'more objects wait for each other in circles');
}

async function workOff(graph: RestoreGraph, engine: EngineRun, signal: AbortSignal): Promise<void> {
  const { run, namespaces, turns, places } = engine;
  const { items, gates } = graph;
  const definitions = new ServedDefinitions(run.ports, run.types);
  const gateOf = (node: number) => gates[node - items.length];
  const restore = async (item: CatalogItem, node: number) => {
    await turns.run(item, placeKey(node), signal);
    if (item.groupResource !== definitionsResource) return;
    await turns.asideFor(placeKey(node), signal)(() => serve(item, definitions, engine, signal));
  };
  await runGraph(
    {
      graph,
      places,
      hasWork: (node) => node < items.length || gateOf(node)?.type === 'namespace',
      work: async (node) => {
        const item = items[node];
        if (item !== undefined) return await restore(item, node);
        const gate = gateOf(node);
        if (gate?.type !== 'namespace') return;
        const aside = turns.asideFor(placeKey(node), signal);
        // Each of its objects tells why it fails.
        await namespaces.prepare(gate.namespace, signal, aside).catch(() => signal.throwIfAborted());
      },
    },
    signal,
  );
}

/** Its custom resources wait for this. When it cannot be served, each of them fails by itself. */
async function serve(
  item: CatalogItem,
  definitions: ServedDefinitions,
  { run, outcomes }: EngineRun,
  signal: AbortSignal,
): Promise<void> {
  const { name } = item;
  if (run.ports.dryRun || !outcomes.isThere(item)) return;
  if (outcomes.isUntouched(item) && run.types.find(name) !== undefined) return;
  try {
    await definitions.wait(name, signal);
  } catch (error) {
    signal.throwIfAborted();
    run.ports.log.error({ resource: definitionsResource, name, err: error }, 'CustomResourceDefinition is not ready');
  }
}
