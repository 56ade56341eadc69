import type { BackupItemAction, DeleteItemAction, ItemBlockAction, RestoreItemAction } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import { pluginBackupItemAction } from './adapters/backup-item-action.ts';
import { pluginDeleteItemAction, pluginItemBlockAction } from './adapters/other-actions.ts';
import { pluginRestoreItemAction } from './adapters/restore-item-action.ts';
import type { PluginCaller } from './calls/plugin-call.ts';
import type { PluginOffer } from './discover/plugin-offer.ts';

/** The plugins' item actions, besides the built-in ones; in the order in which they run, after the built-in ones. */
export interface PluginActions {
  readonly backup: readonly BackupItemAction[];
  readonly restore: readonly RestoreItemAction[];
  readonly block: readonly ItemBlockAction[];
  readonly delete: readonly DeleteItemAction[];
}

/** @param log the server's, for operations, which belong to no run */
export function pluginActions(
  plugins: readonly PluginOffer[],
  callerOf: (offer: PluginOffer) => PluginCaller,
  log: Logger,
): PluginActions {
  const of = <T>(
    kinds: readonly PluginOffer['kind'][],
    make: (offer: PluginOffer, caller: PluginCaller, log: Logger) => T,
  ) => plugins.filter(({ kind }) => kinds.includes(kind)).map((offer) => make(offer, callerOf(offer), log));
  return {
    backup: of(['BackupItemAction', 'BackupItemActionV2'], pluginBackupItemAction),
    restore: of(['RestoreItemAction', 'RestoreItemActionV2'], pluginRestoreItemAction),
    block: of(['ItemBlockAction'], pluginItemBlockAction),
    delete: of(['DeleteItemAction'], pluginDeleteItemAction),
  };
}
