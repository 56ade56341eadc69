import type { Backup } from '@lateen/api-types';
import type { ServiceHandlers } from '@lateen/grpc';
import type { deleteItemAction, itemBlockAction } from '@lateen/plugin-protocol';
import type { ContextOf } from '../context/action-contexts.ts';
import type { Plugin } from '../define-plugin.ts';
import { offered } from './found-action.ts';
import { readItem, runReader } from './json-bytes.ts';
import { wireItems, wireSelector } from './messages.ts';

/** ItemBlockActions over the wire. */
export function itemBlockActionHandlers(
  plugin: Plugin,
  contextOf: ContextOf,
): ServiceHandlers<itemBlockAction.ItemBlockActionServer> {
  const readBackup = runReader<Backup>('backup');
  const find = (name: string) => offered(plugin, 'ItemBlockAction', name, plugin.itemBlockActions);
  return {
    appliesTo: async (request) => ({ ResourceSelector: wireSelector(find(request.plugin).part.appliesTo) }),
    getRelatedItems: async (request, call) => {
      const { offer, part } = find(request.plugin);
      const backup = readBackup(request.backup);
      const input = { item: readItem(request.item, 'item'), backup };
      const items = await part.relatedItems(input, contextOf(offer, call, backup));
      return { relatedItems: wireItems(items, `relatedItems of ${offer.name}`) };
    },
  };
}

/** DeleteItemActions over the wire. */
export function deleteItemActionHandlers(
  plugin: Plugin,
  contextOf: ContextOf,
): ServiceHandlers<deleteItemAction.DeleteItemActionServer> {
  const readBackup = runReader<Backup>('backup');
  const find = (name: string) => offered(plugin, 'DeleteItemAction', name, plugin.deleteItemActions);
  return {
    appliesTo: async (request) => ({ ResourceSelector: wireSelector(find(request.plugin).part.appliesTo) }),
    execute: async (request, call) => {
      const { offer, part } = find(request.plugin);
      const backup = readBackup(request.backup);
      await part.execute({ item: readItem(request.item, 'item'), backup }, contextOf(offer, call, backup));
      return {};
    },
  };
}
