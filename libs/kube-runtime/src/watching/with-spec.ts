import type { KubeObject } from '@lateen/api-types';
import { dropManagedFields } from './reflect.ts';

/**
 * For caches: drops managed fields, and sets `empty` as the spec of an object without one. The definitions of the kinds allow such objects; one of
 * them must not stop the work on the others.
 */
export const withSpecOr =
  <T extends KubeObject & { spec: unknown }>(empty: () => T['spec']) =>
  (object: T): T => {
    const kept = dropManagedFields(object);
    kept.spec ??= empty();
    return kept;
  };
