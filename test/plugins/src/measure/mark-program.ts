import { definePlugin, servePlugin } from '@lateen/plugin';

/** For the benchmark of plugins: the smallest action that changes every item of a restore. */
await servePlugin(
  definePlugin({
    name: 'fixture.lateen.dev/measured',
    parallelCalls: Number(process.argv[2] ?? 1),
    restoreItemActions: {
      'fixture.lateen.dev/mark': {
        execute: async ({ item }) => {
          item.metadata.annotations = { ...item.metadata.annotations, 'fixture.lateen.dev/mark': 'yes' };
          return { updatedItem: item };
        },
      },
    },
  }),
);
