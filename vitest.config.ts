import { defineConfig } from 'vitest/config';

const excluded = ['**/node_modules/**', '**/dist/**'];

/** One Vitest project per tier (architecture: "Tests by reach"), so that each tier can run alone. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{apps,libs,tools,bench}/**/src/**/*.test.ts'],
          exclude: [...excluded, '**/*.slow.test.ts'],
        },
      },
      { test: { name: 'scenario', include: ['test/scenarios/**/*.test.ts'], exclude: excluded, testTimeout: 60_000 } },
      {
        test: {
          name: 'api',
          include: ['test/api/**/*.test.ts'],
          exclude: excluded,
          testTimeout: 120_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
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
