import type { ConfigMap } from '@lateen/api-types';
import type { ConformanceSubject } from './conformance-subject.ts';

/** A ConfigMap in the run's namespace; frozen, because no call may change its arguments. */
export function configMapIn(
  subject: ConformanceSubject,
  name: string,
  parts: { data?: Record<string, string>; labels?: Record<string, string>; finalizers?: string[] } = {},
): ConfigMap {
  const { data = {}, labels, finalizers } = parts;
  return deepFreeze({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: subject.namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    data,
  });
}

export function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
