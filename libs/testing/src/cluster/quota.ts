import type { ObjectKey, ResourceType } from '@lateen/kube';
import { groupResourceText } from '@lateen/kube';
import { forbidden } from './api-error.ts';
import { type ObjectStore, typeKeyOf } from './store.ts';

/** Kinds that a quota can also count by their plain name. */
const plainNames = new Set(['configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'services']);

/** Checks the ResourceQuotas of the namespace that count objects of the kind. @throws KUBE_FORBIDDEN when one is used up */
export function checkQuota(store: ObjectStore, type: ResourceType, key: ObjectKey): void {
  if (key.namespace === undefined) return;
  const counted = groupResourceText(type);
  const names = [`count/${counted}`, ...(plainNames.has(counted) ? [counted] : [])];
  for (const quota of store.entries('/ResourceQuota')) {
    if (quota.key.namespace !== key.namespace) continue;
    const { hard = {} } = (quota.object.spec ?? {}) as { hard?: Record<string, string | number> };
    for (const name of names) {
      const limit = hard[name];
      if (limit === undefined) continue;
      const used = store.entries(typeKeyOf(type)).filter((entry) => entry.key.namespace === key.namespace).length;
      if (used < Number(limit)) continue;
      const amounts = `requested: ${name}=1, used: ${name}=${used}, limited: ${name}=${limit}`;
      throw forbidden(type, key.name, `exceeded quota: ${quota.key.name}, ${amounts}`);
    }
  }
}
