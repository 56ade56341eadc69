import { describe, expect, it } from 'vitest';
import type { BackupItemAction } from './contract/backup-item-action.ts';
import type { PluginDefinition } from './contract/plugin-definition.ts';
import { definePlugin } from './define-plugin.ts';

const unchanged = { execute: () => {} };
const done = () => ({ completed: true });
const plugin = (parts: Partial<PluginDefinition>) => definePlugin({ name: 'example.io/test', ...parts });

describe('the items that a plugin lists', () => {
  it('have version 2 when an action has functions of version 2, in the order of Velero', () => {
    const { offers } = plugin({
      itemBlockActions: { 'example.io/block': { relatedItems: () => [] } },
      deleteItemActions: { 'example.io/delete': unchanged },
      restoreItemActions: {
        'example.io/waits': { ...unchanged, areAdditionalItemsReady: () => true },
        'example.io/plain': unchanged,
        'example.io/operates': { ...unchanged, progress: done, cancel: () => {} },
      },
      backupItemActions: {
        'example.io/b': unchanged,
        'example.io/operates': { ...unchanged, progress: done, cancel: () => {} },
        'example.io/a': unchanged,
      },
    });
    expect(offers.map(({ kind, name }) => `${kind} ${name.slice('example.io/'.length)}`)).toEqual([
      'BackupItemAction a',
      'BackupItemAction b',
      'BackupItemActionV2 operates',
      'RestoreItemAction plain',
      'RestoreItemActionV2 operates',
      'RestoreItemActionV2 waits',
      'DeleteItemAction delete',
      'ItemBlockAction block',
    ]);
  });

  it('may have the same name for several kinds', () => {
    const both = { 'example.io/one': unchanged };
    expect(plugin({ backupItemActions: both, restoreItemActions: both }).offers).toHaveLength(2);
  });
});

describe('a definition that can never work', () => {
  it.each(['noslash', 'a/b/c', '/b', 'example.io/', 'Example.io/b'])(
    'has an action with the invalid name %j',
    (name) => {
      expect(() => plugin({ backupItemActions: { [name]: unchanged } })).toThrow(
        expect.objectContaining({ code: 'PLUGIN_NAME_INVALID', message: expect.stringContaining(`"${name}"`) }),
      );
    },
  );
  it('has an invalid name', () => {
    expect(() => definePlugin({ name: 'webapp', backupItemActions: { 'a/b': unchanged } })).toThrow(
      '"webapp" cannot be the name of the plugin: it has no "/"',
    );
  });
  it('offers nothing', () => {
    expect(() => plugin({ backupItemActions: {} })).toThrow(expect.objectContaining({ code: 'PLUGIN_EMPTY' }));
  });
  it('has progress without cancel, or cancel without progress', () => {
    const withoutCancel = { ...unchanged, progress: done } as unknown as BackupItemAction;
    const withoutProgress = { ...unchanged, cancel: () => {} } as unknown as BackupItemAction;
    expect(() => plugin({ backupItemActions: { 'a/b': withoutCancel } })).toThrow('a/b has progress without cancel');
    expect(() => plugin({ backupItemActions: { 'a/b': withoutProgress } })).toThrow('a/b has cancel without progress');
  });
  it.each([0, 33, 1.5, Number.NaN])('accepts %d parallel calls', (parallelCalls) => {
    expect(() => plugin({ parallelCalls, backupItemActions: { 'a/b': unchanged } })).toThrow(
      expect.objectContaining({ code: 'PLUGIN_PARALLEL_CALLS_INVALID' }),
    );
  });
  it('has an invalid label selector', () => {
    const action = { ...unchanged, appliesTo: { labelSelector: 'app in db' } };
    for (const part of ['backupItemActions', 'restoreItemActions', 'deleteItemActions'] as const)
      expect(() => plugin({ [part]: { 'a/b': action } })).toThrow(
        expect.objectContaining({ code: 'PLUGIN_SELECTOR_INVALID' }),
      );
  });
});

/** Not run: the compiler must report the errors. */
export function whatTheCompilerRefuses() {
  plugin({
    backupItemActions: {
      // @ts-expect-error an action of version 1 starts no operations
      'a/operation-of-version-1': { execute: () => ({ operationId: 'x' }) },
      // @ts-expect-error progress needs cancel
      'a/progress-alone': { execute: () => {}, progress: done },
    },
    restoreItemActions: {
      // @ts-expect-error who waits says when the items are ready
      'a/waits-for-nothing': { execute: () => ({ waitForAdditionalItems: true }) },
      // @ts-expect-error who waits and starts nothing has no operation
      'a/operation-of-who-waits': { execute: () => ({ operationId: 'x' }), areAdditionalItemsReady: () => true },
      // @ts-expect-error ready is yes or no
      'a/ready-is-a-text': { execute: () => {}, areAdditionalItemsReady: () => 'yes' },
    },
    itemBlockActions: {
      // @ts-expect-error an item has a name
      'a/item-without-name': { relatedItems: () => [{ group: '', resource: 'pods' }] },
    },
  });
}
