import { endActions } from '../item/actions/end-actions.ts';
import { factsOf } from '../item/item-filters.ts';
import { buildGraph } from '../order/build-graph.ts';
import type { Gate } from '../order/gates.ts';
import { definitionsResource } from '../order/item-edges.ts';
import { namedResources } from '../order/named-resources.ts';
import { PriorityOrder, parsePriorities } from '../order/priorities.ts';
import { nodeText, planEdges, type RestoreGraph } from '../order/restore-graph.ts';
import { placeKey, runGraph } from '../order/run-graph.ts';
import type { WebhookUse } from '../order/webhook-edges.ts';
import { composeRun } from './compose-run.ts';
import type { CatalogItem, RestoreEnginePorts, RestoreEngineRequest, RestoreItemsOutcome } from './contract.ts';
import { ServedDefinitions } from './definitions.ts';
import { type EngineRun, engineRun } from './engine-run.ts';
import { serviceReady } from './service-ready.ts';
import { webhookUses } from './webhooks.ts';

/** How many log lines may name edges that were left out; there may be as many edges as objects. */
const toldCirclesMax = 20;

/**
 * Restores all objects of a catalog that the filters choose, in the order of their dependencies, as many at the same time as the settings
 * and the API server allow; with `dryRun` it reports what would happen to each.
 *
 * A failure of one object is a log line, and the other objects continue. Rejects with the signal's reason when no object is being restored
 * any more; restored objects stay. @throws RESTORE_PRIORITIES_INVALID; KUBE_… when discovery fails
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
  const webhooks = given.dryRun ? [] : await webhookUses(run, chosen, signal);
  const graph = graphOf(chosen, webhooks, engine);
  tellProblems(graph, engine);
  outcomes.expect(chosen.length);
  given.onProgress(outcomes.progress);
  try {
    await workOff(graph, engine, signal);
  } finally {
    await endActions(run);
  }
  const { progress } = outcomes;
  given.onProgress(progress);
  const volumes = run.volumes.infos();
  const order = { [Symbol.iterator]: () => planEdges(graph) };
  return { ...progress, operations: [...engine.operations], volumes, items: outcomes, order };
}

/** Namespaces are created when something is restored into them, so they are not objects of the run. */
const isObject = ({ groupResource }: CatalogItem): boolean => groupResource !== 'namespaces';

function graphOf(
  chosen: readonly CatalogItem[],
  webhooks: readonly WebhookUse[],
  { run, types, namespaces }: EngineRun,
): RestoreGraph {
  const { catalog, priorities, policies } = run.request;
  const named = namedResources(chosen, (name) => types.named(name));
  return buildGraph(chosen, {
    order: new PriorityOrder(parsePriorities(priorities), named),
    named,
    mapped: (namespace) => namespaces.mapped(namespace),
    find: (item) => catalog.find(item),
    requirements: policies?.restoreOrder,
    webhooks,
  });
}

function tellProblems(graph: RestoreGraph, { run, namespaces }: EngineRun): void {
  const { log } = run.ports;
  for (const { item, text } of graph.problems) {
    const namespace = item?.namespace === undefined ? {} : { namespace: namespaces.mapped(item.namespace) };
    const fields = item === undefined ? {} : { resource: item.groupResource, ...namespace, name: item.name };
    log.warn({ ...fields, reason: text }, 'a part of the restore order is not understood and is ignored');
  }
  const { dropped } = graph;
  for (const { from, to, reason } of dropped.slice(0, toldCirclesMax)) {
    const fields = { before: nodeText(graph, from), after: nodeText(graph, to), because: reason };
    const message = 'objects wait for each other in a cycle; the serial order breaks it';
    // A warning, because an order that users declared is not kept; the other circles can only be resolved this way.
    log[reason === 'declared' ? 'warn' : 'info'](fields, message);
  }
  if (dropped.length > toldCirclesMax)
    log.info({ circles: dropped.length }, 'more objects wait for each other in cycles');
}

async function workOff(graph: RestoreGraph, engine: EngineRun, signal: AbortSignal): Promise<void> {
  const { places } = engine;
  const { items, gates } = graph;
  const definitions = new ServedDefinitions(engine.run.ports, engine.run.types);
  const gateOf = (node: number) => gates[node - items.length];
  const work = async (node: number) => {
    const item = items[node];
    const gate = gateOf(node);
    if (item !== undefined) await restore(item, placeKey(node), definitions, engine, signal);
    else if (gate !== undefined) await passGate(gate, placeKey(node), engine, signal);
  };
  const hasWork = (node: number) => {
    const type = gateOf(node)?.type;
    return type === undefined || type === 'namespace' || type === 'service';
  };
  await runGraph({ graph, places, hasWork, work }, signal);
}

async function restore(
  item: CatalogItem,
  key: string,
  definitions: ServedDefinitions,
  { run, turns, outcomes }: EngineRun,
  signal: AbortSignal,
): Promise<void> {
  await turns.run(item, key, signal);
  const { groupResource: resource, name } = item;
  if (resource !== definitionsResource || run.ports.dryRun || !outcomes.isThere(item)) return;
  if (outcomes.isUntouched(item) && run.types.find(name) !== undefined) return;
  // Its custom resources wait for this. When the CRD is not served in time, each of them fails by itself.
  try {
    await turns.asideFor(key, signal)(() => definitions.wait(name, signal));
  } catch (error) {
    signal.throwIfAborted();
    run.ports.log.error({ resource, name, err: error }, 'CustomResourceDefinition is not ready');
  }
}

async function passGate(gate: Gate, key: string, engine: EngineRun, signal: AbortSignal): Promise<void> {
  try {
    if (gate.type === 'namespace') await namespaceThere(gate.namespace, key, engine, signal);
    if (gate.type === 'service') {
      const aside = engine.turns.asideFor(key, signal, { inSerialToo: true });
      await aside(() => serviceReady(engine.run.ports, gate.service, signal));
    }
  } catch (error) {
    signal.throwIfAborted();
    // For a namespace, each of its objects reports why it fails.
    if (gate.type === 'service')
      engine.run.ports.log.error({ resource: 'services', ...gate.service, err: error }, 'webhook is not ready');
  }
}

/** Other waiters for the namespace hold a place meanwhile, so creating it must never need a place. */
async function namespaceThere(
  namespace: string,
  key: string,
  { namespaces, turns }: EngineRun,
  signal: AbortSignal,
): Promise<void> {
  const waits = Promise.withResolvers<'waits'>();
  const there = namespaces.ensure(namespace, signal, () => waits.resolve('waits'));
  if ((await Promise.race([there, waits.promise])) === 'waits') await turns.asideFor(key, signal)(() => there);
}
