import type { Backup, KubeObject, Restore, Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { ItemIdentifier, OperationProgress, ResourceSelector } from '@lateen/item-actions';
import { stringify } from '@lateen/kube';
import type { ResourceSelector as WireSelector } from '@lateen/plugin-protocol';
import { readItem } from '../wire/json-bytes.ts';
import { itemOfWire, progressOfWire, wireItems } from '../wire/messages.ts';
import type { PluginCalls } from './plugin-calls.ts';
import { testBackup, testRestore } from './test-runs.ts';

/** Calls an action in a test: with a signal of the test kit, in the version in which it is listed. */
export interface ActionPlace {
  calls: PluginCalls;
  name: string;
  version: 1 | 2;
  signal: AbortSignal;
}

export interface BackupItemActionUnderTest {
  appliesTo(): Promise<ResourceSelector>;
  execute(
    item: KubeObject,
    options?: { backup?: Partial<Backup> },
  ): Promise<{
    item: Unstructured;
    additionalItems: ItemIdentifier[];
    operationId?: string;
    postOperationItems: ItemIdentifier[];
  }>;
  progress(operationId: string, options?: { backup?: Partial<Backup> }): Promise<OperationProgress>;
  cancel(operationId: string, options?: { backup?: Partial<Backup> }): Promise<void>;
}

export function backupItemActionUnderTest({ calls, name, version, signal }: ActionPlace): BackupItemActionUnderTest {
  const { backupItemActionV1: v1, backupItemActionV2: v2 } = calls;
  const options = { signal };
  const operation = (operationID: string, backup?: Partial<Backup>) => {
    return { plugin: name, operationID, backup: bytes(testBackup(backup)) };
  };
  return {
    appliesTo: async () => {
      const { ResourceSelector } = await (version === 1 ? v1 : v2).appliesTo({ plugin: name }, options);
      return selectorOfWire(ResourceSelector);
    },
    execute: async (item, { backup } = {}) => {
      const request = { plugin: name, item: bytes(item), backup: bytes(testBackup(backup)) };
      const answer =
        version === 1
          ? { operationID: '', postOperationItems: [], ...(await v1.execute(request, options)) }
          : await v2.execute(request, options);
      return {
        item: readItem(answer.item, 'item'),
        additionalItems: answer.additionalItems.map(itemOfWire),
        postOperationItems: answer.postOperationItems.map(itemOfWire),
        ...(answer.operationID === '' ? {} : { operationId: answer.operationID }),
      };
    },
    progress: async (operationId, { backup } = {}) =>
      progressOfWire((await v2.progress(operation(operationId, backup), options)).progress),
    cancel: async (operationId, { backup } = {}) => void (await v2.cancel(operation(operationId, backup), options)),
  };
}

export interface RestoreItemActionUnderTest {
  appliesTo(): Promise<ResourceSelector>;
  /** `itemFromBackup` defaults to the item. */
  execute(
    item: KubeObject,
    options?: { itemFromBackup?: KubeObject; restore?: Partial<Restore> },
  ): Promise<{
    updatedItem: Unstructured;
    additionalItems: ItemIdentifier[];
    skipRestore: boolean;
    operationId?: string;
    waitForAdditionalItems: boolean;
    additionalItemsReadyTimeoutMs: number;
  }>;
  areAdditionalItemsReady(
    additionalItems: readonly ItemIdentifier[],
    options?: { restore?: Partial<Restore> },
  ): Promise<boolean>;
  progress(operationId: string, options?: { restore?: Partial<Restore> }): Promise<OperationProgress>;
  cancel(operationId: string, options?: { restore?: Partial<Restore> }): Promise<void>;
}

const nothingStarted = { operationID: '', waitForAdditionalItems: false, additionalItemsReadyTimeout: undefined };

export function restoreItemActionUnderTest({ calls, name, version, signal }: ActionPlace): RestoreItemActionUnderTest {
  const { restoreItemActionV1: v1, restoreItemActionV2: v2 } = calls;
  const options = { signal };
  const operation = (operationID: string, restore?: Partial<Restore>) => {
    return { plugin: name, operationID, restore: bytes(testRestore(restore)) };
  };
  return {
    appliesTo: async () => {
      const { ResourceSelector } = await (version === 1 ? v1 : v2).appliesTo({ plugin: name }, options);
      return selectorOfWire(ResourceSelector);
    },
    execute: async (item, { itemFromBackup = item, restore } = {}) => {
      const run = bytes(testRestore(restore));
      const request = { plugin: name, item: bytes(item), itemFromBackup: bytes(itemFromBackup), restore: run };
      const answer =
        version === 1
          ? { ...nothingStarted, ...(await v1.execute(request, options)) }
          : await v2.execute(request, options);
      const { seconds = 0n, nanos = 0 } = answer.additionalItemsReadyTimeout ?? {};
      return {
        updatedItem: readItem(answer.item, 'item'),
        additionalItems: answer.additionalItems.map(itemOfWire),
        skipRestore: answer.skipRestore,
        waitForAdditionalItems: answer.waitForAdditionalItems,
        additionalItemsReadyTimeoutMs: Number(seconds) * 1_000 + nanos / 1_000_000,
        ...(answer.operationID === '' ? {} : { operationId: answer.operationID }),
      };
    },
    areAdditionalItemsReady: async (items, { restore } = {}) => {
      const additionalItems = wireItems(items, 'additionalItems');
      const request = { plugin: name, additionalItems, restore: bytes(testRestore(restore)) };
      return (await v2.areAdditionalItemsReady(request, options)).ready;
    },
    progress: async (operationId, { restore } = {}) =>
      progressOfWire((await v2.progress(operation(operationId, restore), options)).progress),
    cancel: async (operationId, { restore } = {}) => void (await v2.cancel(operation(operationId, restore), options)),
  };
}

export interface ItemBlockActionUnderTest {
  appliesTo(): Promise<ResourceSelector>;
  relatedItems(item: KubeObject, options?: { backup?: Partial<Backup> }): Promise<ItemIdentifier[]>;
}

export function itemBlockActionUnderTest({ calls, name, signal }: ActionPlace): ItemBlockActionUnderTest {
  const { itemBlockAction } = calls;
  return {
    appliesTo: async () => {
      const { ResourceSelector } = await itemBlockAction.appliesTo({ plugin: name }, { signal });
      return selectorOfWire(ResourceSelector);
    },
    relatedItems: async (item, { backup } = {}) => {
      const request = { plugin: name, item: bytes(item), backup: bytes(testBackup(backup)) };
      const { relatedItems } = await itemBlockAction.getRelatedItems(request, { signal });
      return relatedItems.map(itemOfWire);
    },
  };
}

export interface DeleteItemActionUnderTest {
  appliesTo(): Promise<ResourceSelector>;
  execute(item: KubeObject, options?: { backup?: Partial<Backup> }): Promise<void>;
}

export function deleteItemActionUnderTest({ calls, name, signal }: ActionPlace): DeleteItemActionUnderTest {
  const { deleteItemAction } = calls;
  return {
    appliesTo: async () => {
      const { ResourceSelector } = await deleteItemAction.appliesTo({ plugin: name }, { signal });
      return selectorOfWire(ResourceSelector);
    },
    execute: async (item, { backup } = {}) => {
      const request = { plugin: name, item: bytes(item), backup: bytes(testBackup(backup)) };
      await deleteItemAction.execute(request, { signal });
    },
  };
}

const bytes = (value: unknown): Buffer => Buffer.from(stringify(value));

/** The object without its undefined fields. */
function selectorOfWire(selector: WireSelector | undefined): ResourceSelector {
  if (selector === undefined) throw new AppError('PLUGIN_ANSWER_INVALID', 'the plugin did not say which items it sees');
  const { selector: labelSelector, ...lists } = selector;
  const said = Object.entries(lists).filter(([, list]) => list.length > 0);
  return { ...Object.fromEntries(said), ...(labelSelector === '' ? {} : { labelSelector }) };
}
