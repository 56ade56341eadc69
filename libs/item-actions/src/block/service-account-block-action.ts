import type { ItemBlockAction } from '../contract/item-block-action.ts';
import type { RolesOfAccount } from '../roles-of-accounts.ts';

/** Puts a service account into one block with its cluster-wide roles and bindings. */
export function serviceAccountBlockAction(rolesOf: RolesOfAccount): ItemBlockAction {
  return {
    name: 'velero.io/service-account',
    appliesTo: { includedResources: ['serviceaccounts'] },
    relatedItems: rolesOf,
  };
}
