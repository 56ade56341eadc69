/** The layers of the workspace, as `nx.tags` in each package.json name them (docs/ARCHITECTURE.md, "Layers"). */
export const layers = [
  'contract',
  'kernel',
  'port',
  'domain',
  'workflow',
  'adapter',
  'testing',
  'app',
  'tool',
  'test',
] as const;
export type Layer = (typeof layers)[number];

/** What each layer may import. `testing` is missing on purpose: only test files may import it (see check-imports.ts). */
export const mayImport: Readonly<Record<Layer, readonly Layer[]>> = {
  contract: ['contract'],
  kernel: ['contract'],
  port: ['contract', 'kernel'],
  domain: ['contract', 'kernel', 'port', 'domain'],
  workflow: ['contract', 'kernel', 'port', 'domain'],
  adapter: ['contract', 'kernel', 'port'],
  testing: ['contract', 'kernel', 'port'],
  app: ['contract', 'kernel', 'port', 'domain', 'workflow', 'adapter'],
  tool: ['contract', 'kernel', 'port', 'domain', 'adapter', 'tool'],
  test: ['contract', 'kernel', 'port', 'domain', 'workflow', 'adapter', 'testing', 'app', 'tool'],
};

/** The only arrows inside the domain layer; its other libraries do not know each other. */
export const domainArrows: readonly (readonly [string, string])[] = [
  ['@lateen/watcher', '@lateen/datapath'],
  ['@lateen/mover', '@lateen/datapath'],
  ['@lateen/mover', '@lateen/repository'],
  ['@lateen/uploader', '@lateen/datapath'],
  ['@lateen/uploader', '@lateen/repository'],
  ['@lateen/maintenance', '@lateen/repository'],
];

/** Layers whose test files may import `@lateen/testing`; for the others that edge would close a cycle. */
export const testsMayUseTesting: readonly Layer[] = ['domain', 'workflow', 'adapter', 'app', 'tool', 'test', 'testing'];
