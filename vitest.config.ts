import { defineConfig } from 'vitest/config';

const common = {
  /** Property tests draw the same cases in each run. */
  setupFiles: ['tools/test-runner/src/property-seed.ts'],
  /** The default of `expect.poll`, one second, is too short on a machine that is busy with other tests. */
  expect: { poll: { timeout: 20_000 } },
};

const excluded = ['**/node_modules/**', '**/dist/**'];

/**
 * Files of these tiers share a process: starting one per file and loading the modules again took half of their time. What
 * a file leaves behind (a server, a variable, a hook of a shared module) meets the next one; the order changes with each run
 * (by how long the files took last time), so that it shows. Files that need a process of their own get a project of their own.
 */
const shared = { isolate: false, maxWorkers: '100%' };

/** One Vitest project per tier (architecture: "Tests by reach"), so that each tier can run alone. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          ...common,
          name: 'unit',
          // Ends what hangs, and nothing that only has to wait for a busy machine.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: ['{apps,libs,tools,bench,test/plugins}/**/src/**/*.test.ts'],
          exclude: [...excluded, '**/*.slow.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          ...common,
          name: 'scenario',
          include: ['test/scenarios/**/*.test.ts'],
          exclude: excluded,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // Each file has an API server of its own, and waits for it more than it computes.
          ...common,
          name: 'api',
          include: ['test/api/**/*.test.ts'],
          exclude: excluded,
          testTimeout: 120_000,
          hookTimeout: 900_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          // Real engines, object stores and devices, each file with its own: two files run beside each other.
          ...common,
          name: 'parts',
          include: ['test/cluster/src/parts/**/*.test.ts'],
          globalSetup: ['test/cluster/src/environment/set-up-parts.ts'],
          exclude: excluded,
          testTimeout: 600_000,
          hookTimeout: 1_800_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          ...common,
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          globalSetup: ['test/cluster/src/environment/set-up.ts'],
          exclude: [...excluded, 'test/cluster/src/{parts,own-clusters,installations}/**'],
          testTimeout: 600_000,
          hookTimeout: 1_800_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          // What needs nothing of that cluster. Most of it is waiting, six minutes in the file about a node that is cut off alone: two
          // files run beside each other.
          ...common,
          name: 'own-clusters',
          include: ['test/cluster/src/own-clusters/**/*.test.ts'],
          globalSetup: ['test/cluster/src/environment/set-up-parts.ts'],
          exclude: excluded,
          testTimeout: 600_000,
          hookTimeout: 1_800_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          // What installs Lateen itself, each file in a namespace of its own: on a cluster as above, and not on the same.
          ...common,
          name: 'installations',
          include: ['test/cluster/src/installations/**/*.test.ts'],
          globalSetup: ['test/cluster/src/environment/set-up.ts'],
          exclude: excluded,
          testTimeout: 600_000,
          hookTimeout: 1_800_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
