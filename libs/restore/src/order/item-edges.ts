import { alwaysRestored } from '@lateen/item-filters';
import type { GraphBuilding } from './graph-building.ts';
import type { GraphRules } from './graph-rules.ts';

export const definitionsResource = 'customresourcedefinitions.apiextensions.k8s.io';

export function addNamespaceEdges(building: GraphBuilding, { mapped }: GraphRules): void {
  const gates = new Map<string, number>();
  for (const [node, { namespace, groupResource }] of building.items.entries()) {
    // DataUploads are read, not created, so no namespace of another installation is created for them.
    if (namespace === undefined || groupResource === alwaysRestored) continue;
    const target = mapped(namespace);
    let gate = gates.get(target);
    if (gate === undefined) {
      gate = building.addGate({ type: 'namespace', namespace: target }, node - 0.5);
      gates.set(target, gate);
    }
    building.edges.add(gate, node, 'namespace');
  }
}

/** Custom resources come after the CRD of their kind, which only ends when they are served. */
export function addDefinitionEdges(building: GraphBuilding): void {
  const definitions = new Map<string, number>();
  for (const [node, { groupResource, name }] of building.items.entries())
    if (groupResource === definitionsResource) definitions.set(name, node);
  if (definitions.size === 0) return;
  for (const [node, { groupResource }] of building.items.entries()) {
    const definition = definitions.get(groupResource);
    if (definition !== undefined) building.edges.add(definition, node, 'definition');
  }
}

export function addNeedEdges(building: GraphBuilding, { find }: GraphRules): void {
  for (const [node, { needs }] of building.items.entries()) {
    for (const need of needs) {
      const needed = building.nodeOf(find(need));
      if (needed !== undefined) building.edges.add(needed, node, 'needs');
    }
  }
}

/** Groups of Kubernetes itself have no dot or end in k8s.io; objects of our own groups only say where data is. */
export function isCustom(apiVersion: string): boolean {
  const [group = '', version] = apiVersion.split('/');
  return version !== undefined && group !== 'velero.io' && group.includes('.') && !group.endsWith('.k8s.io');
}
