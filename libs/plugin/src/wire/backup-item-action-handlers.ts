import type { Backup } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { ServiceHandlers } from '@lateen/grpc';
import type { backupItemActionV1, backupItemActionV2, PluginKind } from '@lateen/plugin-protocol';
import type { ContextOf } from '../context/action-contexts.ts';
import type { BackupItemResultV2 } from '../contract/backup-item-action.ts';
import type { Plugin } from '../define-plugin.ts';
import { offered } from './found-action.ts';
import { readItem, runReader, writeItem } from './json-bytes.ts';
import { wireItems, wireProgress, wireSelector } from './messages.ts';

type HandlersV1 = ServiceHandlers<backupItemActionV1.BackupItemActionServer>;
type HandlersV2 = ServiceHandlers<backupItemActionV2.BackupItemActionServer>;

/** Both versions of BackupItemActions over the wire. */
export function backupItemActionHandlers(plugin: Plugin, contextOf: ContextOf): { v1: HandlersV1; v2: HandlersV2 } {
  const readBackup = runReader<Backup>('backup');
  const find = (kind: PluginKind, name: string) => offered(plugin, kind, name, plugin.backupItemActions);
  const appliesTo = (kind: PluginKind) => async (request: { plugin: string }) => ({
    ResourceSelector: wireSelector(find(kind, request.plugin).part.appliesTo),
  });
  const execute = (kind: PluginKind) => async (request: ExecuteRequest, call: { signal: AbortSignal }) => {
    const { offer, part } = find(kind, request.plugin);
    const backup = readBackup(request.backup);
    const item = readItem(request.item, 'item');
    const result: BackupItemResultV2 = (await part.execute({ item, backup }, contextOf(offer, call, backup))) ?? {};
    return answerOf(result, request, kind);
  };
  const operation = (name: string, operationId: string, backupBytes: Uint8Array, call: { signal: AbortSignal }) => {
    const { offer, part } = find('BackupItemActionV2', name);
    if (part.progress === undefined) throw new AppError('PLUGIN_NOT_OFFERED', `${name} starts no operations`);
    const backup = readBackup(backupBytes);
    return { action: part, input: { operationId, backup }, context: contextOf(offer, call, backup) };
  };
  return {
    v1: { appliesTo: appliesTo('BackupItemAction'), execute: execute('BackupItemAction') },
    v2: {
      appliesTo: appliesTo('BackupItemActionV2'),
      execute: execute('BackupItemActionV2'),
      progress: async ({ plugin: name, operationID, backup }, call) => {
        const { action, input, context } = operation(name, operationID, backup, call);
        return { progress: wireProgress(await action.progress(input, context)) };
      },
      cancel: async ({ plugin: name, operationID, backup }, call) => {
        const { action, input, context } = operation(name, operationID, backup, call);
        await action.cancel(input, context);
        return {};
      },
    },
  };
}

type ExecuteRequest = backupItemActionV2.ExecuteRequest;

function answerOf(result: BackupItemResultV2, { plugin: name, item }: ExecuteRequest, kind: PluginKind) {
  const { item: changed, additionalItems, operationId = '', postOperationItems } = result;
  if (kind === 'BackupItemAction' && (operationId !== '' || postOperationItems !== undefined)) {
    throw new AppError('PLUGIN_ANSWER_INVALID', `${name} returned an operation, and has no progress and cancel`);
  }
  return {
    item: changed === undefined ? item : writeItem(changed, `item of ${name}`),
    additionalItems: wireItems(additionalItems, `additionalItems of ${name}`),
    operationID: operationId,
    postOperationItems: wireItems(postOperationItems, `postOperationItems of ${name}`),
  };
}
