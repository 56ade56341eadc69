import { domainArrows, type Layer, layers, mayImport, testsMayUseTesting } from './layer-rules.ts';

/** The part of `nx graph --file` that is read. */
export interface ProjectGraph {
  nodes: Readonly<Record<string, { data: { root: string; tags?: readonly string[] } }>>;
  dependencies: Readonly<Record<string, readonly { source: string; target: string }[]>>;
}

/** Workspace dependencies that package.json files declare: project name to names. */
export type DeclaredDependencies = Readonly<Record<string, readonly string[]>>;

/**
 * One sentence for each rule that the graph breaks; empty when it breaks none. A graph that is empty or lacks edges that package.json
 * declares counts as broken, because import analysis may fail without an error.
 */
export function checkGraph(graph: ProjectGraph, declared: DeclaredDependencies): string[] {
  const names = Object.keys(graph.nodes);
  if (names.length === 0) return ['the project graph is empty: nx found no projects'];
  return [...untaggedProjects(graph), ...lostEdges(graph, declared), ...wrongArrows(graph), ...cycles(graph)];
}

function layerOf(graph: ProjectGraph, name: string): Layer | undefined {
  const tags = (graph.nodes[name]?.data.tags ?? []).filter((tag) => tag.startsWith('layer:'));
  const layer = tags[0]?.slice('layer:'.length) as Layer | undefined;
  return tags.length === 1 && layer !== undefined && layers.includes(layer) ? layer : undefined;
}

function untaggedProjects(graph: ProjectGraph): string[] {
  return Object.keys(graph.nodes)
    .filter((name) => layerOf(graph, name) === undefined)
    .map((name) => `${name} needs exactly one tag layer:<${layers.join('|')}> in its package.json`);
}

function lostEdges(graph: ProjectGraph, declared: DeclaredDependencies): string[] {
  return Object.entries(declared).flatMap(([name, targets]) => {
    const seen = new Set((graph.dependencies[name] ?? []).map((edge) => edge.target));
    return targets
      .filter((target) => !seen.has(target))
      .map((target) => `${name} declares ${target}, but the graph has no such edge: import analysis is incomplete`);
  });
}

function wrongArrows(graph: ProjectGraph): string[] {
  return workspaceEdges(graph).flatMap(({ source, target }) => {
    const from = layerOf(graph, source);
    const to = layerOf(graph, target);
    if (from === undefined || to === undefined) return [];
    if (to === 'testing' && testsMayUseTesting.includes(from)) return [];
    if (!mayImport[from].includes(to)) return [`${source} (${from}) must not import ${target} (${to})`];
    const arrowIsListed = domainArrows.some(([a, b]) => a === source && b === target);
    if (from === 'domain' && to === 'domain' && !arrowIsListed)
      return [
        `${source} must not import ${target}: a domain library may import another one only if layer-rules.ts lists the pair`,
      ];
    return [];
  });
}

function workspaceEdges(graph: ProjectGraph): { source: string; target: string }[] {
  return Object.values(graph.dependencies)
    .flat()
    .filter((edge) => edge.target in graph.nodes && edge.source !== edge.target);
}

function cycles(graph: ProjectGraph): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    const at = path.indexOf(name);
    if (at >= 0) {
      found.push(`import cycle: ${[...path.slice(at), name].join(' → ')}`);
      return;
    }
    if (done.has(name)) return;
    for (const edge of graph.dependencies[name] ?? [])
      if (edge.target in graph.nodes && edge.target !== name) visit(edge.target, [...path, name]);
    done.add(name);
  };
  for (const name of Object.keys(graph.nodes)) visit(name, []);
  return found;
}
