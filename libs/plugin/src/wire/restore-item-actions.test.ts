import type { KubeObject } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { type RestoreItemAction, targetNamespace } from '../contract/restore-item-action.ts';
import { definePlugin } from '../define-plugin.ts';
import { testPlugin } from '../testing/test-plugin.ts';
import { testRestore } from '../testing/test-runs.ts';

const name = 'example.io/wait';
const webapp: KubeObject = {
  apiVersion: 'example.io/v1',
  kind: 'WebApp',
  metadata: { name: 'web', namespace: 'shop' },
};
const database = { group: 'example.io', resource: 'databases', namespace: 'shop', name: 'db' };
const tested = async (action: RestoreItemAction) =>
  (await testPlugin(definePlugin({ name, restoreItemActions: { [name]: action } }))).restoreItemAction(name);

const nothing = {
  updatedItem: webapp,
  additionalItems: [],
  skipRestore: false,
  waitForAdditionalItems: false,
  additionalItemsReadyTimeoutMs: 0,
};

describe('a RestoreItemAction', () => {
  it('changes nothing when it returns nothing', async () => {
    expect(await (await tested({ execute: () => {} })).execute(webapp)).toEqual(nothing);
    const version2 = await tested({ execute: () => undefined, areAdditionalItemsReady: () => true });
    expect(await version2.execute(webapp)).toEqual(nothing);
  });

  it('gets the item as it was backed up, and the Restore', async () => {
    const action = await tested({
      execute: ({ item, itemFromBackup, restore }) => ({
        updatedItem: { ...item, seen: [itemFromBackup.status, restore.spec.namespaceMapping] },
      }),
    });
    const options = {
      itemFromBackup: { ...webapp, status: { phase: 'Ready' } } as KubeObject,
      restore: { spec: { backupName: 'nightly', namespaceMapping: { shop: 'copy' } } },
    };
    const { updatedItem } = await action.execute(webapp, options);
    expect(updatedItem.seen).toEqual([{ phase: 'Ready' }, { shop: 'copy' }]);
  });

  it('can skip an item', async () => {
    const action = await tested({ execute: () => ({ skipRestore: true }) });
    expect(await action.execute(webapp)).toEqual({ ...nothing, skipRestore: true });
  });

  it('returns additional items, waits for them as long as it says, and is asked about the restored ones', async () => {
    let asked = 0;
    const action = await tested({
      execute: () => ({
        additionalItems: [database],
        waitForAdditionalItems: true,
        additionalItemsReadyTimeoutMs: 90_500,
      }),
      areAdditionalItemsReady: ({ additionalItems, restore }) => {
        asked++;
        expect(additionalItems).toEqual([database]);
        return restore.metadata.name === 'back' && asked > 1;
      },
    });
    expect(await action.execute(webapp)).toEqual({
      ...nothing,
      additionalItems: [database],
      waitForAdditionalItems: true,
      additionalItemsReadyTimeoutMs: 90_500,
    });
    expect(await action.areAdditionalItemsReady([database])).toBe(false);
    expect(await action.areAdditionalItemsReady([database])).toBe(true);
  });

  it('starts an operation', async () => {
    const action = await tested({
      execute: () => ({ operationId: 'fill-1' }),
      progress: ({ operationId, restore }) => ({ completed: true, error: `${operationId} of ${restore.metadata.uid}` }),
      cancel: () => Promise.reject(new Error('too late')),
    });
    expect((await action.execute(webapp)).operationId).toBe('fill-1');
    expect(await action.progress('fill-1')).toMatchObject({ completed: true, error: 'fill-1 of restore-uid' });
    await expect(action.cancel('fill-1')).rejects.toThrow('too late');
  });

  it('with operations only counts its additional items as ready', async () => {
    const action = await tested({ execute: () => {}, progress: () => ({ completed: true }), cancel: () => {} });
    expect(await action.areAdditionalItemsReady([])).toBe(true);
  });

  it('with areAdditionalItemsReady only rejects calls about operations', async () => {
    const action = await tested({ execute: () => {}, areAdditionalItemsReady: () => true });
    await expect(action.progress('x')).rejects.toThrow(`${name} starts no operations`);
  });

  it.each<[RestoreItemAction, string]>([
    [
      { execute: () => ({ operationId: 'x' }) } as RestoreItemAction,
      'returned an operation, and has no progress and cancel',
    ],
    [
      { execute: () => ({ waitForAdditionalItems: true }) } as RestoreItemAction,
      'wants to wait, and has no areAdditionalItemsReady',
    ],
    [{ execute: () => ({ updatedItem: { kind: 'X' } as never }) }, 'is not an object of Kubernetes'],
  ])('cannot return an invalid result: %#', async (action, message) => {
    await expect((await tested(action)).execute(webapp)).rejects.toThrow(message);
  });

  it('fails with the error that it throws', async () => {
    const cause = new Error('connection refused');
    const action = await tested({
      execute: () => {
        throw new Error('the database cannot be asked', { cause });
      },
    });
    await expect(action.execute(webapp)).rejects.toMatchObject({ message: 'the database cannot be asked', cause });
  });
});

it('names items by namespaces of the backup, and they are restored to the mapped namespaces', () => {
  const mapped = testRestore({ spec: { backupName: 'nightly', namespaceMapping: { shop: 'copy' } } });
  expect(['shop', 'bank'].map((namespace) => targetNamespace(mapped, namespace))).toEqual(['copy', 'bank']);
  expect(targetNamespace(testRestore(), 'shop')).toBe('shop');
});
