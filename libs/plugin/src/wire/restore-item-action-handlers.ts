import type { Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { ServiceHandlers } from '@lateen/grpc';
import type { PluginKind, restoreItemActionV1, restoreItemActionV2 } from '@lateen/plugin-protocol';
import type { ContextOf } from '../context/action-contexts.ts';
import type { RestoreItemAction, RestoreItemResultV2 } from '../contract/restore-item-action.ts';
import type { Plugin } from '../define-plugin.ts';
import { offered } from './found-action.ts';
import { readItem, runReader, writeItem } from './json-bytes.ts';
import { itemOfWire, wireItems, wireProgress, wireSelector } from './messages.ts';

type HandlersV1 = ServiceHandlers<restoreItemActionV1.RestoreItemActionServer>;
type HandlersV2 = ServiceHandlers<restoreItemActionV2.RestoreItemActionServer>;
type ExecuteRequest = restoreItemActionV2.RestoreItemActionExecuteRequest;
type Call = { signal: AbortSignal };

/** Both versions of RestoreItemActions over the wire. */
export function restoreItemActionHandlers(plugin: Plugin, contextOf: ContextOf): { v1: HandlersV1; v2: HandlersV2 } {
  const readRestore = runReader<Restore>('restore');
  const find = (kind: PluginKind, name: string) => offered(plugin, kind, name, plugin.restoreItemActions);
  const appliesTo = (kind: PluginKind) => async (request: { plugin: string }) => ({
    ResourceSelector: wireSelector(find(kind, request.plugin).part.appliesTo),
  });
  const execute = (kind: PluginKind) => async (request: ExecuteRequest, call: Call) => {
    const { offer, part } = find(kind, request.plugin);
    const restore = readRestore(request.restore);
    const item = readItem(request.item, 'item');
    const itemFromBackup = readItem(request.itemFromBackup, 'itemFromBackup');
    const context = contextOf(offer, call, restore);
    const result: RestoreItemResultV2 = (await part.execute({ item, itemFromBackup, restore }, context)) ?? {};
    return answerOf(result, request, part);
  };
  const operation = (name: string, operationId: string, restoreBytes: Uint8Array, call: Call) => {
    const { offer, part } = find('RestoreItemActionV2', name);
    if (part.progress === undefined) throw new AppError('PLUGIN_NOT_OFFERED', `${name} starts no operations`);
    const restore = readRestore(restoreBytes);
    return { action: part, input: { operationId, restore }, context: contextOf(offer, call, restore) };
  };
  return {
    v1: { appliesTo: appliesTo('RestoreItemAction'), execute: execute('RestoreItemAction') },
    v2: {
      appliesTo: appliesTo('RestoreItemActionV2'),
      execute: execute('RestoreItemActionV2'),
      progress: async ({ plugin: name, operationID, restore }, call) => {
        const { action, input, context } = operation(name, operationID, restore, call);
        return { progress: wireProgress(await action.progress(input, context)) };
      },
      cancel: async ({ plugin: name, operationID, restore }, call) => {
        const { action, input, context } = operation(name, operationID, restore, call);
        await action.cancel(input, context);
        return {};
      },
      areAdditionalItemsReady: async (request, call) => {
        const { offer, part } = find('RestoreItemActionV2', request.plugin);
        // Programs in Go answer whatever their action returns; one that waits for nothing has nothing to wait for.
        if (part.areAdditionalItemsReady === undefined) return { ready: true };
        const restore = readRestore(request.restore);
        const input = { additionalItems: request.additionalItems.map(itemOfWire), restore };
        return { ready: await part.areAdditionalItemsReady(input, contextOf(offer, call, restore)) };
      },
    },
  };
}

function answerOf(result: RestoreItemResultV2, request: ExecuteRequest, action: RestoreItemAction) {
  const { updatedItem, additionalItems, skipRestore = false, operationId = '' } = result;
  const { waitForAdditionalItems = false, additionalItemsReadyTimeoutMs = 0 } = result;
  const { plugin: name, item } = request;
  if (operationId !== '' && action.progress === undefined) {
    throw new AppError('PLUGIN_ANSWER_INVALID', `${name} returned an operation, and has no progress and cancel`);
  }
  if (waitForAdditionalItems && action.areAdditionalItemsReady === undefined) {
    throw new AppError('PLUGIN_ANSWER_INVALID', `${name} wants to wait, and has no areAdditionalItemsReady`);
  }
  return {
    item: updatedItem === undefined ? item : writeItem(updatedItem, `updatedItem of ${name}`),
    additionalItems: wireItems(additionalItems, `additionalItems of ${name}`),
    skipRestore,
    operationID: operationId,
    waitForAdditionalItems,
    additionalItemsReadyTimeout: wireDuration(additionalItemsReadyTimeoutMs),
  };
}

function wireDuration(ms: number): { seconds: bigint; nanos: number } {
  const whole = Math.round(ms);
  return { seconds: BigInt(Math.trunc(whole / 1_000)), nanos: (whole % 1_000) * 1_000_000 };
}
