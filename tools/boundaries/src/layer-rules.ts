/** The layers of the workspace, as `nx.tags` in each package.json name them (docs/ARCHITECTURE.md, "Layers"). */
export const layers = [
  'contract',
  'kernel',
  'port',
  'runtime',
  'domain',
  'workflow',
  'operation',
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
  runtime: ['contract', 'kernel', 'port'],
  domain: ['contract', 'kernel', 'port', 'runtime', 'domain'],
  workflow: ['contract', 'kernel', 'port', 'runtime', 'domain'],
  operation: ['contract', 'kernel', 'port', 'runtime', 'domain'],
  adapter: ['contract', 'kernel', 'port', 'runtime'],
  testing: ['contract', 'kernel', 'port'],
  app: ['contract', 'kernel', 'port', 'runtime', 'domain', 'workflow', 'operation', 'adapter'],
  tool: ['contract', 'kernel', 'port', 'runtime', 'domain', 'adapter', 'tool'],
  test: [
    'contract',
    'kernel',
    'port',
    'runtime',
    'domain',
    'workflow',
    'operation',
    'adapter',
    'testing',
    'app',
    'tool',
  ],
};

/** The only arrows inside the domain layer; its other libraries do not know each other. */
export const domainArrows: readonly (readonly [string, string])[] = [
  ['@lateen/watcher', '@lateen/datapath'],
  ['@lateen/mover', '@lateen/datapath'],
  ['@lateen/mover', '@lateen/repository'],
  ['@lateen/uploader', '@lateen/datapath'],
  ['@lateen/uploader', '@lateen/repository'],
  ['@lateen/uploader', '@lateen/kopia-restore'],
  ['@lateen/uploader', '@lateen/volume-writer'],
  ['@lateen/kopia-restore', '@lateen/datapath'],
  ['@lateen/kopia-restore', '@lateen/kopia-format'],
  ['@lateen/kopia-restore', '@lateen/pack-reader'],
  ['@lateen/kopia-restore', '@lateen/volume-writer'],
  ['@lateen/kopia-check', '@lateen/kopia-format'],
  ['@lateen/kopia-check', '@lateen/pack-reader'],
  ['@lateen/maintenance', '@lateen/repository'],
  ['@lateen/replica-store', '@lateen/volume'],
  ['@lateen/repository', '@lateen/storage-location'],
  ['@lateen/backup-store', '@lateen/archive'],
  ['@lateen/hooks', '@lateen/item-filters'],
  ['@lateen/volume-policies', '@lateen/item-filters'],
  ['@lateen/resource-modifiers', '@lateen/item-filters'],
  ['@lateen/item-actions', '@lateen/hooks'],
  ['@lateen/item-actions', '@lateen/volume-policies'],
  ['@lateen/item-actions', '@lateen/volume-snapshots'],
  ['@lateen/exposer', '@lateen/volume-snapshots'],
  ['@lateen/run', '@lateen/backup-store'],
  ['@lateen/run', '@lateen/item-actions'],
  ['@lateen/run', '@lateen/item-filters'],
];

/** Layers whose test files may import `@lateen/testing`; for the others that edge would close a cycle. */
export const testsMayUseTesting: readonly Layer[] = [
  'runtime',
  'domain',
  'workflow',
  'operation',
  'adapter',
  'app',
  'tool',
  'test',
  'testing',
];
