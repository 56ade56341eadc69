import type { Unstructured } from '@lateen/api-types';
import type { ActionContext, BackupItemAction, BackupItemResult } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import { backupItemActionV1 as v1, backupItemActionV2 as v2 } from '@lateen/plugin-protocol';
import { asking, type PluginCaller } from '../calls/plugin-call.ts';
import type { PluginOffer } from '../discover/plugin-offer.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { itemsOf, progressOf } from './identifiers.ts';
import { answeredItem, bytesOf, jsonBytes, runBytes } from './item-json.ts';
import { backupScope, operationsRun } from './scopes.ts';

/** A plugin of kind BackupItemAction or BackupItemActionV2 as an action of the contract. @param log the server's, for its operations */
export function pluginBackupItemAction(offer: PluginOffer, caller: PluginCaller, log: Logger): BackupItemAction {
  const { name, appliesTo, kind } = offer;
  const endItems = (context: ActionContext) => caller.endRun(backupScope(context).run);
  return kind === 'BackupItemAction'
    ? { name, appliesTo, endItems, execute: executeV1(name, caller) }
    : { name, appliesTo, endItems, execute: executeV2(name, caller), ...operations(name, caller, log) };
}

const requestOf = (plugin: string, item: Unstructured, { backup }: ActionContext) => ({
  plugin,
  item: jsonBytes(item),
  backup: runBytes(backup),
});

function executeV1(plugin: string, caller: PluginCaller): BackupItemAction['execute'] {
  const ask = asking(plugin, caller);
  const service = (process: PluginProcess) => process.client<v1.BackupItemActionServer>(v1.BackupItemActionClient);
  return async (item, context, signal) => {
    const request = () => requestOf(plugin, item, context);
    const answer = await ask(
      'Execute',
      backupScope(context),
      (process, options) => service(process).execute(request(), options),
      signal,
      () => bytesOf(request()),
    );
    return { item: answeredItem(answer.item, item, plugin), additionalItems: itemsOf(answer.additionalItems) };
  };
}

const serviceV2 = (process: PluginProcess) => process.client<v2.BackupItemActionServer>(v2.BackupItemActionClient);

function executeV2(plugin: string, caller: PluginCaller): BackupItemAction['execute'] {
  const ask = asking(plugin, caller);
  return async (item, context, signal): Promise<BackupItemResult> => {
    const request = () => requestOf(plugin, item, context);
    const answer = await ask(
      'Execute',
      backupScope(context),
      (process, options) => serviceV2(process).execute(request(), options),
      signal,
      () => bytesOf(request()),
    );
    return {
      item: answeredItem(answer.item, item, plugin),
      additionalItems: itemsOf(answer.additionalItems),
      postOperationItems: itemsOf(answer.postOperationItems),
      ...(answer.operationID === '' ? {} : { operationId: answer.operationID }),
    };
  };
}

function operations(
  plugin: string,
  caller: PluginCaller,
  log: Logger,
): Required<Pick<BackupItemAction, 'progress' | 'cancel'>> {
  const ask = asking(plugin, caller);
  const scope = { run: operationsRun, log };
  return {
    progress: async (operationID, { backup }, signal) => {
      const request = { plugin, operationID, backup: runBytes(backup) };
      const run = (process: PluginProcess, options: { signal: AbortSignal }) =>
        serviceV2(process).progress(request, options);
      return progressOf((await ask('Progress', scope, run, signal)).progress);
    },
    cancel: async (operationID, { backup }, signal) => {
      const request = { plugin, operationID, backup: runBytes(backup) };
      await ask('Cancel', scope, (process, options) => serviceV2(process).cancel(request, options), signal);
    },
  };
}
