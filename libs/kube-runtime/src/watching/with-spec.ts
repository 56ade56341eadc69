import type { KubeObject } from '@lateen/api-types';
import { dropManagedFields } from './reflect.ts';

/**
 * For caches: objects without managed fields, and with `empty` where they have no spec. Definitions let those through; one of them must not
 * stop the work on the others.
 */
export const withSpecOr =
  <T extends KubeObject & { spec: unknown }>(empty: () => T['spec']) =>
  (object: T): T => {
    const kept = dropManagedFields(object);
    kept.spec ??= empty();
    return kept;
  };
