import type { RestoreItemAction } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import { restoreItemActionV2 as v2 } from '@lateen/plugin-protocol';
import { asking, type PluginCaller } from '../calls/plugin-call.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { progressOf, wireItems } from './identifiers.ts';
import { runBytes } from './item-json.ts';
import { operationsRun, restoreScope } from './scopes.ts';

const service = (process: PluginProcess) => process.client<v2.RestoreItemActionServer>(v2.RestoreItemActionClient);

/** The methods that version 2 of a restore action has besides `execute`. */
export function restoreOperations(
  plugin: string,
  caller: PluginCaller,
  log: Logger,
): Required<Pick<RestoreItemAction, 'areAdditionalItemsReady' | 'progress' | 'cancel'>> {
  const ask = asking(plugin, caller);
  const scope = { run: operationsRun, log };
  return {
    areAdditionalItemsReady: async ({ items, restore, signal }, context) => {
      const request = { plugin, restore: runBytes(restore), additionalItems: wireItems(items) };
      const { ready } = await ask(
        'AreAdditionalItemsReady',
        restoreScope(context),
        (process, options) => service(process).areAdditionalItemsReady(request, options),
        signal,
      );
      return { ready };
    },
    progress: async (operationID, { restore }, signal) => {
      const request = { plugin, operationID, restore: runBytes(restore) };
      const { progress } = await ask(
        'Progress',
        scope,
        (process, options) => service(process).progress(request, options),
        signal,
      );
      return progressOf(progress);
    },
    cancel: async (operationID, { restore }, signal) => {
      const request = { plugin, operationID, restore: runBytes(restore) };
      await ask('Cancel', scope, (process, options) => service(process).cancel(request, options), signal);
    },
  };
}
