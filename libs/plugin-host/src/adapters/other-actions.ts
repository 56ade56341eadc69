import type { DeleteItemAction, ItemBlockAction } from '@lateen/item-actions';
import { itemBlockAction as block, deleteItemAction as deletion } from '@lateen/plugin-protocol';
import { asking, type PluginCaller } from '../calls/plugin-call.ts';
import type { PluginOffer } from '../discover/plugin-offer.ts';
import { itemsOf } from './identifiers.ts';
import { bytesOf, jsonBytes, runBytes } from './item-json.ts';
import { backupScope, deleteScope } from './scopes.ts';

/** A plugin of kind DeleteItemAction as an action of the contract. */
export function pluginDeleteItemAction({ name, appliesTo }: PluginOffer, caller: PluginCaller): DeleteItemAction {
  const ask = asking(name, caller);
  return {
    name,
    appliesTo,
    execute: async (item, context, signal) => {
      const request = () => ({ plugin: name, item: jsonBytes(item), backup: runBytes(context.backup) });
      await ask(
        'Execute',
        deleteScope(context),
        (process, options) =>
          process.client<deletion.DeleteItemActionServer>(deletion.DeleteItemActionClient).execute(request(), options),
        signal,
        () => bytesOf(request()),
      );
    },
  };
}

/** A plugin of kind ItemBlockAction as an action of the contract. */
export function pluginItemBlockAction({ name, appliesTo }: PluginOffer, caller: PluginCaller): ItemBlockAction {
  const ask = asking(name, caller);
  return {
    name,
    appliesTo,
    relatedItems: async (item, context, signal) => {
      const request = () => ({ plugin: name, item: jsonBytes(item), backup: runBytes(context.backup) });
      const { relatedItems } = await ask(
        'GetRelatedItems',
        backupScope(context),
        (process, options) =>
          process.client<block.ItemBlockActionServer>(block.ItemBlockActionClient).getRelatedItems(request(), options),
        signal,
        () => bytesOf(request()),
      );
      return itemsOf(relatedItems);
    },
  };
}
