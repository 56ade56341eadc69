import { configMapType, definePlugin, servePlugin } from '../index.ts';

/** What the tests of this package start: each item says by an annotation what its action does. */
const plugin = definePlugin({
  name: 'example.io/program',
  backupItemActions: {
    'example.io/do': {
      appliesTo: { includedResources: ['configmaps'] },
      execute: async ({ item }, { log, kube, config, signal }) => {
        switch (item.metadata.annotations?.do) {
          case 'log':
            for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({ level, n: 1 }, `at ${level}`);
            log.error({ err: new Error('outer', { cause: new Error('inner') }), password: 'x' }, 'an error');
            log.info({ text: 'x'.repeat(15_000), more: Array(9).fill('y'.repeat(15_000)) }, 'a long line');
            return;
          case 'print':
            console.log('printed %d', 1);
            process.stdout.write(`${'z'.repeat(200_000)}\n`);
            return;
          case 'fail':
            throw new Error('cannot mark', { cause: new Error('the disk is full') });
          case 'crash':
            setImmediate(() => {
              throw new Error('out of luck', { cause: new Error('no cheese') });
            });
            return new Promise(() => {});
          case 'reject':
            void Promise.reject(new Error('nobody waits'));
            return new Promise(() => {});
          case 'hang':
            log.info({}, 'hangs');
            signal.addEventListener('abort', () => log.warn({}, `given up: ${signal.reason.message}`));
            return new Promise(() => {});
          case 'cluster': {
            const seen = await kube.get(configMapType, { namespace: 'shop', name: 'seen' });
            item.metadata.labels = { seen: seen.data?.value ?? '', configured: (await config()).required('mode') };
            return { item };
          }
          default:
            item.metadata.labels = { marked: 'yes' };
            return { item };
        }
      },
    },
  },
});

await servePlugin(plugin);
