import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkGraph, type DeclaredDependencies, type ProjectGraph } from './check-graph.ts';
import { checkImports } from './check-imports.ts';

interface Manifest {
  name: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
}

const root = join(import.meta.dirname, '..', '..', '..');
/** nx sometimes hangs in unusual terminals; building the graph takes seconds. */
const graphTimeoutMs = 120_000;

function readGraph(): ProjectGraph {
  const folder = mkdtempSync(join(tmpdir(), 'lateen-graph-'));
  try {
    const file = join(folder, 'graph.json');
    execFileSync('nx', ['graph', `--file=${file}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: graphTimeoutMs,
      env: { ...process.env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false' },
    });
    return (JSON.parse(readFileSync(file, 'utf8')) as { graph: ProjectGraph }).graph;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const manifests = globSync(['{apps,libs,tools,test}/*/package.json', 'bench/package.json'], { cwd: root }).map(
  (path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
);
const declared: DeclaredDependencies = Object.fromEntries(
  manifests.map((manifest) => [
    manifest.name,
    Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith('@lateen/')),
  ]),
);
const publicSubpaths = new Set(
  manifests.flatMap((manifest) =>
    Object.keys(manifest.exports ?? {})
      .filter((subpath) => subpath !== '.')
      .map((subpath) => `${manifest.name}${subpath.slice(1)}`),
  ),
);
const files = globSync('{apps,libs,tools,test,bench}/**/*.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules') || path.includes('dist'),
})
  // The checker's own test contains forbidden imports as text.
  .filter((path) => !path.startsWith('tools/boundaries/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const graph = readGraph();
const findings = [...checkGraph(graph, declared), ...checkImports(files, publicSubpaths)];
for (const finding of findings) console.error(`boundaries: ${finding}`);
if (findings.length === 0) console.log(`boundaries: ${Object.keys(graph.nodes).length} projects follow the layers`);
process.exitCode = findings.length === 0 ? 0 : 1;
