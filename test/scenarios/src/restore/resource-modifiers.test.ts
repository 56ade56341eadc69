import { configMapType, namespaceType } from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import { restoreItems } from '@lateen/restore';
import { aConfigMap, aNamespace } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from '../backup/backup-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';

const worlds = restoreControllerWorlds();

const rules = (name: string, colour: string, version = 'v1') =>
  aConfigMap({
    namespace,
    name,
    data: {
      'rules.yaml': [
        `version: ${version}`,
        'resourceModifierRules:',
        '- conditions: {groupResource: configmaps, namespaces: [shop], resourceNameRegex: ^settings$}',
        `  patches: [{operation: replace, path: /data/colour, value: ${colour}}]`,
      ].join('\n'),
    },
  });

async function world(defaultResourceModifier?: string) {
  const made = await worlds.running({
    engine: { restoreItems },
    restoreActions: builtInActions({ csi: true }).restore,
    restores: { defaultResourceModifier },
    objects: [
      aNamespace({ name: 'shop' }),
      aConfigMap({ name: 'settings', namespace: 'shop', data: { colour: 'blue' } }),
      rules('own', 'green'),
      rules('default', 'red'),
      rules('broken', 'red', 'v9'),
    ],
  });
  made.cluster.remove(configMapType, { namespace: 'shop', name: 'settings' });
  made.cluster.remove(namespaceType, { name: 'shop' });
  return made;
}

const own = (name: string) => ({ kind: 'configmap', name });

describe('resource modifiers', () => {
  it.each([
    ['of the restore', { resourceModifier: own('own') }, undefined, 'green'],
    ['of the server', {}, 'default', 'red'],
    ["of the restore, which replace the server's", { resourceModifier: own('own') }, 'default', 'green'],
    ['of the server, left out by the restore', { skipDefaultResourceModifier: true }, 'default', 'blue'],
  ])('%s change what is created', async (_title, spec, byDefault, colour) => {
    const running = await world(byDefault);
    await running.createRestore('back', { backupName: 'nightly', ...spec });
    await running.untilRestore('back', 'Completed', 'PartiallyFailed', 'Failed', 'FailedValidation');
    expect(running.restore('back')?.status?.phase).toBe('Completed');
    const restored = running.cluster.find(configMapType, { namespace: 'shop', name: 'settings' });
    expect(restored?.data).toEqual({ colour });
  });

  it('of the restore that are invalid fail its validation', async () => {
    const running = await world();
    await running.createRestore('back', { backupName: 'nightly', resourceModifier: own('broken') });
    const { status } = await running.untilRestore('back', 'FailedValidation');
    expect(status?.validationErrors).toEqual([
      expect.stringContaining(
        'Validation error in resource modifiers provided in configmap velero/broken: unsupported resource modifier version v9',
      ),
    ]);
  });

  it('of the server that are invalid are a warning', async () => {
    const running = await world('broken');
    await running.createRestore('back');
    const { status } = await running.untilRestore('back', 'Completed', 'PartiallyFailed', 'Failed', 'FailedValidation');
    expect([status?.phase, status?.warnings]).toEqual(['Completed', 1]);
  });
});
