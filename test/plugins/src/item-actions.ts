import type {
  BackupItemActionV1,
  BackupItemActionV2,
  DeleteItemAction,
  ItemBlockAction,
  ResourceSelector,
  RestoreItemActionV1,
  RestoreItemActionV2,
  RestoreItemResultV1,
} from '@lateen/plugin';
import { act, type ItemScript, scriptOf } from './item-script.ts';
import { operationIdOf, PolledOperations } from './polled-operations.ts';

const appliesTo: ResourceSelector = {
  includedNamespaces: ['shop'],
  includedResources: ['configmaps', 'widgets.fixture.lateen.dev'],
  labelSelector: 'fixture=yes',
};

const operations = new PolledOperations();
const operationOf = (script: ItemScript, item: Parameters<typeof operationIdOf>[1]) =>
  script.operation === undefined ? {} : { operationId: operationIdOf(script.operation, item) };

export const backupV1: BackupItemActionV1 = {
  appliesTo,
  execute: async ({ item }, context) => {
    const { additionalItems = [] } = await act(item, context);
    return { item, additionalItems };
  },
};

export const backupV2: BackupItemActionV2 = {
  appliesTo,
  execute: async ({ item }, context) => {
    const script = await act(item, context);
    const { additionalItems = [], postOperationItems = [] } = script;
    return { item, additionalItems, postOperationItems, ...operationOf(script, item) };
  },
  progress: ({ operationId }) => operations.progress(operationId),
  cancel: ({ operationId }) => operations.cancel(operationId),
};

const restored = (item: RestoreItemResultV1['updatedItem'] & object, script: ItemScript) => ({
  updatedItem: item,
  additionalItems: script.additionalItems ?? [],
  skipRestore: script.skipRestore ?? false,
});

export const restoreV1: RestoreItemActionV1 = {
  appliesTo,
  execute: async ({ item }, context) => restored(item, await act(item, context)),
};

export const restoreV2: RestoreItemActionV2 = {
  appliesTo,
  execute: async ({ item }, context) => {
    const script = await act(item, context);
    return {
      ...restored(item, script),
      ...operationOf(script, item),
      waitForAdditionalItems: script.waitForAdditionalItems ?? false,
      additionalItemsReadyTimeoutMs: (script.additionalItemsReadyTimeoutSeconds ?? 0) * 1_000,
    };
  },
  areAdditionalItemsReady: ({ additionalItems, restore }) => {
    const { readyAfter = 1, readyFails } = scriptOf<{ readyAfter?: number; readyFails?: string }>(restore);
    if (readyFails !== undefined) throw new Error(readyFails);
    return timesAsked(JSON.stringify(additionalItems)) >= readyAfter;
  },
  progress: ({ operationId }) => operations.progress(operationId),
  cancel: ({ operationId }) => operations.cancel(operationId),
};

const questions = new Map<string, number>();
function timesAsked(items: string): number {
  const asked = (questions.get(items) ?? 0) + 1;
  questions.set(items, asked);
  return asked;
}

export const block: ItemBlockAction = {
  appliesTo,
  relatedItems: async ({ item }, context) => (await act(item, context)).relatedItems ?? [],
};

export const deleteItem: DeleteItemAction = {
  appliesTo,
  execute: async ({ item }, context) => {
    await act(item, context);
    context.log.info({ item: `${item.metadata.namespace}/${item.metadata.name}` }, 'item is deleted');
  },
};
