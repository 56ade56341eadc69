import { describe, expect, it } from 'vitest';
import { checkGraph, type ProjectGraph } from './check-graph.ts';
import { checkImports } from './check-imports.ts';

function graphOf(tags: Record<string, string[]>, edges: [string, string][]): ProjectGraph {
  return {
    nodes: Object.fromEntries(Object.entries(tags).map(([name, list]) => [name, { data: { root: name, tags: list } }])),
    dependencies: Object.fromEntries(
      Object.keys(tags).map((name) => [
        name,
        edges.filter(([source]) => source === name).map(([source, target]) => ({ source, target })),
      ]),
    ),
  };
}

const good = { '@lateen/kube': ['layer:port'], '@lateen/errors': ['layer:contract'], '@lateen/cli': ['layer:app'] };

describe('the boundary check', () => {
  it('accepts imports that go down the layers', () => {
    expect(
      checkGraph(
        graphOf(good, [
          ['@lateen/kube', '@lateen/errors'],
          ['@lateen/cli', '@lateen/kube'],
        ]),
        {},
      ),
    ).toEqual([]);
  });
  it('rejects an import that goes up a layer', () => {
    expect(checkGraph(graphOf(good, [['@lateen/errors', '@lateen/kube']]), {})).toEqual([
      '@lateen/errors (contract) must not import @lateen/kube (port)',
    ]);
  });
  it('rejects an app that imports an app', () => {
    const tags = { ...good, '@lateen/controller': ['layer:app'] };
    expect(checkGraph(graphOf(tags, [['@lateen/controller', '@lateen/cli']]), {})).toHaveLength(1);
  });
  it('rejects imports between domain libraries that are not allowed', () => {
    const tags = {
      '@lateen/exposer': ['layer:domain'],
      '@lateen/watcher': ['layer:domain'],
      '@lateen/datapath': ['layer:domain'],
    };
    const edges: [string, string][] = [
      ['@lateen/exposer', '@lateen/watcher'],
      ['@lateen/watcher', '@lateen/datapath'],
    ];
    expect(checkGraph(graphOf(tags, edges), {})).toEqual([
      '@lateen/exposer must not import @lateen/watcher: a domain library may import another one only if layer-rules.ts lists the pair',
    ]);
  });
  it('rejects a project without a layer and a layer that does not exist', () => {
    expect(checkGraph(graphOf({ a: [], b: ['layer:cellar'] }, []), {})).toHaveLength(2);
  });
  it('fails when the graph is empty or has lost a declared edge', () => {
    expect(checkGraph({ nodes: {}, dependencies: {} }, {})).toHaveLength(1);
    expect(checkGraph(graphOf(good, []), { '@lateen/kube': ['@lateen/errors'] })).toEqual([
      '@lateen/kube declares @lateen/errors, but the graph has no such edge: import analysis is incomplete',
    ]);
  });
  it('names an import cycle', () => {
    const tags = { '@lateen/errors': ['layer:contract'], '@lateen/api-types': ['layer:contract'] };
    const edges: [string, string][] = [
      ['@lateen/errors', '@lateen/api-types'],
      ['@lateen/api-types', '@lateen/errors'],
    ];
    expect(checkGraph(graphOf(tags, edges), {})).toEqual([
      'import cycle: @lateen/errors → @lateen/api-types → @lateen/errors',
    ]);
  });
  it('keeps the testing library out of production files, and deep imports out of all files', () => {
    const text = "import { FakeClock } from '@lateen/testing';\nimport x from '@lateen/kube/src/secret.ts';";
    expect(checkImports([{ path: 'libs/exposer/src/expose.ts', text }], new Set())).toEqual([
      'libs/exposer/src/expose.ts imports @lateen/testing: only test files may',
      'libs/exposer/src/expose.ts imports @lateen/kube/src/secret.ts, which its package does not export',
    ]);
    expect(
      checkImports([{ path: 'libs/exposer/src/expose.test.ts', text }], new Set(['@lateen/kube/src/secret.ts'])),
    ).toEqual([]);
  });
});
