import type {
  RestoreActionContext,
  RestoreItemAction,
  RestoreItemInput,
  RestoreItemResult,
} from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import { restoreItemActionV1 as v1, restoreItemActionV2 as v2 } from '@lateen/plugin-protocol';
import { asking, type PluginCaller } from '../calls/plugin-call.ts';
import type { PluginOffer } from '../discover/plugin-offer.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { itemsOf } from './identifiers.ts';
import { answeredItem, bytesOf, jsonBytes, runBytes } from './item-json.ts';
import { restoreOperations } from './restore-operations.ts';
import { restoreScope } from './scopes.ts';

/**
 * A plugin of kind RestoreItemAction or RestoreItemActionV2 as an action of the contract. A plan calls no plugin: the protocol has no such call,
 * and a plugin may write to the cluster.
 * @param log the server's, for its operations
 */
export function pluginRestoreItemAction(offer: PluginOffer, caller: PluginCaller, log: Logger): RestoreItemAction {
  const { name, appliesTo, kind } = offer;
  const endItems = (context: RestoreActionContext) => caller.endRun(restoreScope(context).run);
  const unlessPlanned = notInPlans(name);
  return kind === 'RestoreItemAction'
    ? { name, appliesTo, endItems, execute: unlessPlanned(executeV1(name, caller)) }
    : {
        name,
        appliesTo,
        endItems,
        execute: unlessPlanned(executeV2(name, caller)),
        ...restoreOperations(name, caller, log),
      };
}

type Execute = RestoreItemAction['execute'];

function notInPlans(action: string): (execute: Execute) => Execute {
  const told = new WeakSet<object>();
  return (execute) => async (input, context, signal) => {
    if (!context.dryRun) return execute(input, context, signal);
    if (!told.has(context.restore)) {
      context.log.info(
        { action },
        'the plan does not say what this plugin would change: it is only asked by a restore',
      );
    }
    told.add(context.restore);
    return { updatedItem: input.item };
  };
}

const requestOf = (plugin: string, { item, itemFromBackup }: RestoreItemInput, { restore }: RestoreActionContext) => ({
  plugin,
  item: jsonBytes(item),
  itemFromBackup: jsonBytes(itemFromBackup),
  restore: runBytes(restore),
});

function executeV1(plugin: string, caller: PluginCaller): Execute {
  const ask = asking(plugin, caller);
  const service = (process: PluginProcess) => process.client<v1.RestoreItemActionServer>(v1.RestoreItemActionClient);
  return async (input, context, signal) => {
    const request = () => requestOf(plugin, input, context);
    const answer = await ask(
      'Execute',
      restoreScope(context),
      (process, options) => service(process).execute(request(), options),
      signal,
      () => bytesOf(request()),
    );
    return resultOf(plugin, input, answer);
  };
}

function executeV2(plugin: string, caller: PluginCaller): Execute {
  const ask = asking(plugin, caller);
  const service = (process: PluginProcess) => process.client<v2.RestoreItemActionServer>(v2.RestoreItemActionClient);
  return async (input, context, signal) => {
    const request = () => requestOf(plugin, input, context);
    const answer = await ask(
      'Execute',
      restoreScope(context),
      (process, options) => service(process).execute(request(), options),
      signal,
      () => bytesOf(request()),
    );
    return {
      ...resultOf(plugin, input, answer),
      ...(answer.operationID === '' ? {} : { operationId: answer.operationID }),
      ...(answer.waitForAdditionalItems ? waiting(answer.additionalItemsReadyTimeout) : {}),
    };
  };
}

function resultOf(
  plugin: string,
  { item }: RestoreItemInput,
  answer: v1.RestoreItemActionExecuteResponse,
): RestoreItemResult {
  return {
    // If the item is skipped, the rest of the answer does not matter.
    updatedItem: answer.skipRestore ? item : answeredItem(answer.item, item, plugin),
    additionalItems: itemsOf(answer.additionalItems),
    skipRestore: answer.skipRestore,
  };
}

const msPerSecond = 1_000;
const nanosPerMs = 1_000_000;

function waiting(
  timeout: v2.RestoreItemActionExecuteResponse['additionalItemsReadyTimeout'],
): Pick<RestoreItemResult, 'waitForAdditionalItems' | 'additionalItemsReadyTimeoutMs'> {
  const { seconds = 0n, nanos = 0 } = timeout ?? {};
  const additionalItemsReadyTimeoutMs = Math.max(Number(seconds) * msPerSecond + Math.ceil(nanos / nanosPerMs), 0);
  return { waitForAdditionalItems: true, additionalItemsReadyTimeoutMs };
}
