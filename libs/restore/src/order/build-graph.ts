import type { CatalogItem } from '../engine/contract.ts';
import { addDeclaredEdges, requirementBarriers } from './declared-order.ts';
import { GraphBuilding } from './graph-building.ts';
import type { GraphRules } from './graph-rules.ts';
import { addDefinitionEdges, addNamespaceEdges, addNeedEdges } from './item-edges.ts';
import { barriersFor } from './kind-barriers.ts';
import { addKindEdges } from './kind-edges.ts';
import { addOperatorEdges, addOwnerEdges } from './operator-edges.ts';
import type { PriorityOrder } from './priorities.ts';
import type { RestoreGraph } from './restore-graph.ts';
import { addWebhookEdges } from './webhook-edges.ts';

/** Builds the order in which objects are restored. Linear in the number of objects and their references. */
export function buildGraph(chosen: readonly CatalogItem[], rules: GraphRules): RestoreGraph {
  const building = new GraphBuilding(serialOrder(chosen, rules.order));
  addNamespaceEdges(building, rules);
  addDefinitionEdges(building);
  addNeedEdges(building, rules);
  addOwnerEdges(building);
  addOperatorEdges(building, rules);
  addKindEdges(building, barriersFor(rules.order), 'kind');
  addKindEdges(building, requirementBarriers(building, rules), 'declared');
  addDeclaredEdges(building, rules);
  addWebhookEdges(building, rules.webhooks ?? []);
  return building.end();
}

/** The order of a serial restore: kind by kind, in each by namespace and name. */
function serialOrder(items: readonly CatalogItem[], order: PriorityOrder): CatalogItem[] {
  const kinds = [...Map.groupBy(items, ({ groupResource }) => groupResource)];
  return kinds
    .sort(([a], [b]) => order.compare(a, b))
    .flatMap(([, those]) =>
      those.sort((a, b) => compareText(a.namespace ?? '', b.namespace ?? '') || compareText(a.name, b.name)),
    );
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
