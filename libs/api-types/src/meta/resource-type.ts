import type { KubeObject } from './kube-object.ts';

/**
 * Where a kind lives in the API. For kinds known when this code is written it is a constant (no discovery call);
 * for all others discovery yields it. `T` is the shape callers expect back; nothing validates it at run time.
 */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, lower case: `datauploads`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Only carries the type parameter; never present at run time. */
  readonly object?: T;
}
