import type { ItemBlockAction } from '../contract/item-block-action.ts';
import type { RolesOfAccount } from '../roles-of-accounts.ts';

/** A service account stands in one block with its cluster-wide rights. */
export function serviceAccountBlockAction(rolesOf: RolesOfAccount): ItemBlockAction {
  return {
    name: 'velero.io/service-account',
    appliesTo: { includedResources: ['serviceaccounts'] },
    relatedItems: rolesOf,
  };
}
