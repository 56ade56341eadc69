import type { KubeObject } from '@lateen/api-types';
import { aConfigMap, aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../contract/action-context.ts';
import { definePlugin } from '../define-plugin.ts';
import { testPlugin } from '../testing/test-plugin.ts';

const name = 'example.io/webapp';
const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } };
const configMap = (mapName: string, kind: string, data: Record<string, string>) =>
  aConfigMap({
    namespace: 'velero',
    name: mapName,
    labels: { 'velero.io/plugin-config': '', [name]: kind },
    data,
  });
const secret = (values: Record<string, string>) => aSecret({ namespace: 'velero', name: 'webapp', values });

/** Runs a function with the context of a version 2 action, for the given number of items. */
async function withContext<T>(objects: KubeObject[], run: (context: ActionContext) => Promise<T>, items = 1) {
  const results: T[] = [];
  const plugin = definePlugin({
    name,
    restoreItemActions: {
      [name]: {
        execute: async (_input, context) => void results.push(await run(context)),
        areAdditionalItemsReady: () => true,
      },
    },
  });
  const tested = await testPlugin(plugin, { objects });
  let lists = 0;
  tested.cluster.intercept(({ verb }, next) => {
    if (verb === 'list') lists++;
    return next();
  });
  for (let item = 0; item < items; item++) await tested.restoreItemAction(name).execute(pod);
  return { results, lists };
}

describe('the configuration of an action', () => {
  it.each(['RestoreItemAction', 'RestoreItemActionV2'])(
    'comes from the ConfigMap with its name and the kind %s',
    async (kind) => {
      const { results } = await withContext([configMap('one', kind, { url: 'http://w' })], async ({ config }) => {
        const found = await config();
        return [found.data, found.required('url')];
      });
      expect(results).toEqual([[{ url: 'http://w' }, 'http://w']]);
    },
  );

  it('is empty without a ConfigMap, and with one of another kind', async () => {
    const others = [configMap('one', 'BackupItemAction', { url: 'x' })];
    const { results } = await withContext(others, async ({ config }) => (await config()).data);
    expect(results).toEqual([{}]);
  });

  it('is read once for all items of a restore', async () => {
    const { lists } = await withContext([configMap('one', 'RestoreItemAction', {})], ({ config }) => config(), 20);
    expect(lists).toBe(1);
  });

  it('is an error when several ConfigMaps have the labels', async () => {
    const several = [configMap('one', 'RestoreItemAction', {}), configMap('two', 'RestoreItemActionV2', {})];
    await expect(withContext(several, ({ config }) => config())).rejects.toMatchObject({
      code: 'ACTION_CONFIG_AMBIGUOUS',
      nextStep: 'Leave the labels on one of them: one, two.',
    });
  });

  it('reports a missing entry, and where to add it', async () => {
    await expect(withContext([], async ({ config }) => (await config()).required('url'))).rejects.toMatchObject({
      code: 'PLUGIN_CONFIG_MISSING',
      message: `the configuration of ${name} has no entry url`,
      nextStep:
        'Set it in a ConfigMap of namespace velero with the labels velero.io/plugin-config="" and ' +
        `${name}=RestoreItemAction.`,
    });
  });
});

describe('a Secret that the configuration names', () => {
  const read = (reference: string, data?: Record<string, string>) =>
    withContext(
      [configMap('one', 'RestoreItemAction', { token: reference }), ...(data === undefined ? [] : [secret(data)])],
      async ({ config }) => (await config()).secret('token'),
    );

  it('is read by Secret and key, or by Secret alone when it has only one key', async () => {
    expect((await read('webapp/token', { token: 's3cret', other: 'x' })).results).toEqual(['s3cret']);
    expect((await read('webapp', { token: 's3cret' })).results).toEqual(['s3cret']);
  });

  it.each<[string, string, Record<string, string> | undefined]>([
    ['webapp/token', 'there is no Secret webapp in namespace velero', undefined],
    ['webapp/token', 'Secret webapp has no key token, it has other', { other: 'value-1' }],
    ['webapp', 'Secret webapp has 2 keys (a, b), and none is named', { a: 'value-1', b: 'value-2' }],
  ])('%s: reports "%s"', async (reference, message, data) => {
    const failed = await read(reference, data).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'PLUGIN_SECRET_MISSING', message });
    expect(JSON.stringify(failed)).not.toContain('value-');
  });
});
