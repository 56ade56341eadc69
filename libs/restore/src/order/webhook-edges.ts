import type { CatalogItem } from '../engine/contract.ts';
import type { WebhookService } from './gates.ts';
import type { GraphBuilding } from './graph-building.ts';

/** A webhook that is called for objects of this restore and is itself part of the restore. */
export interface WebhookUse {
  readonly service: WebhookService;
  /** Its Service and pods, as far as they are restored. */
  readonly backends: readonly CatalogItem[];
  /** The kinds for which it is called. */
  readonly groupResources: readonly string[];
}

/** Adds edges by which objects wait until the webhooks that are called for them can answer. */
export function addWebhookEdges(building: GraphBuilding, uses: readonly WebhookUse[]): void {
  for (const { service, backends, groupResources } of uses) {
    const kinds = new Set(groupResources);
    const looked = building.kinds.all().filter(({ groupResource }) => kinds.has(groupResource));
    if (looked.length === 0) continue;
    const nodes = backends.flatMap((item) => building.nodeOf(item) ?? []);
    const rank = Math.min(...looked.map((bunch) => bunch.nodes[0] as number)) - 0.1;
    const gate = building.addGate({ type: 'service', service }, rank);
    for (const node of nodes) building.edges.add(node, gate, 'webhook');
    for (const bunch of looked) for (const node of bunch.nodes) building.edges.add(gate, node, 'webhook');
  }
}
