import type { Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { withoutAnnotations } from '../item/with-metadata.ts';

interface Secret extends Unstructured {
  type?: string;
  data?: Record<string, string> | null;
}

const accountName = 'kubernetes.io/service-account.name';
const accountUid = 'kubernetes.io/service-account.uid';

/**
 * Tokens of service accounts: a token that the cluster created is not restored, because the cluster creates its own; one that a
 * user requested is requested again, for the present account.
 */
export const secretAction: RestoreItemAction = {
  name: 'velero.io/secret',
  appliesTo: { includedResources: ['secrets'] },
  execute: async ({ item }) => {
    const { type, data } = item as Secret;
    if (type !== 'kubernetes.io/service-account-token') return { updatedItem: item };
    if (isMadeByCluster(item)) return { updatedItem: item, skipRestore: true };
    const { token: _, 'ca.crt': __, ...kept } = data ?? {};
    return { updatedItem: { ...withoutAnnotations(item, [accountUid]), data: kept } };
  },
};

/** Such a name is `<account>-token-` and five characters; a user's Secret may have the same prefix. */
function isMadeByCluster({ metadata: { name = '', annotations } }: Unstructured): boolean {
  const prefix = `${annotations?.[accountName] ?? ''}-token-`;
  return name.startsWith(prefix) && /^[a-z0-9]{5}$/.test(name.slice(prefix.length));
}
