import type { BackupItemAction } from '../contract/backup-item-action.ts';
import type { RolesOfAccount } from '../roles-of-accounts.ts';

/** The cluster-wide roles and bindings of a service account are backed up with it. */
export function serviceAccountAction(rolesOf: RolesOfAccount): BackupItemAction {
  return {
    name: 'velero.io/service-account',
    appliesTo: { includedResources: ['serviceaccounts'] },
    execute: async (item, context, signal) => ({ item, additionalItems: await rolesOf(item, context, signal) }),
  };
}
