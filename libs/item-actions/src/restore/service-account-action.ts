import type { Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';

interface ServiceAccount extends Unstructured {
  secrets?: { name?: string }[] | null;
}

/** Removes the token that was created for a service account: the cluster creates another. */
export const serviceAccountAction: RestoreItemAction = {
  name: 'velero.io/service-account',
  appliesTo: { includedResources: ['serviceaccounts'] },
  execute: async ({ item }) => {
    const secrets = (item as ServiceAccount).secrets ?? [];
    const token = secrets.findIndex(({ name = '' }) => name.startsWith(`${item.metadata.name}-token-`));
    return { updatedItem: token < 0 ? item : { ...item, secrets: secrets.toSpliced(token, 1) } };
  },
};
