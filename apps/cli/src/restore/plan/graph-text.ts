import type { RestorePlanEdge } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';

export const graphFormats = ['text', 'dot'] as const;

/** The dependencies between objects: one per line, or a graph for Graphviz. Ends with a line break. Pure. */
export function graphText(edges: readonly RestorePlanEdge[], format: (typeof graphFormats)[number]): string {
  if (format === 'text')
    return edges.map(({ earlier, later, why }) => `${plainLine(`${earlier} -> ${later} (${why})`)}\n`).join('');
  const lines = edges.map(({ earlier, later, why }) => `  ${name(earlier)} -> ${name(later)} [label=${name(why)}];\n`);
  return `digraph restore {\n  rankdir=LR;\n  node [shape=box];\n${lines.join('')}}\n`;
}

const name = (text: string): string => `"${plainLine(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
