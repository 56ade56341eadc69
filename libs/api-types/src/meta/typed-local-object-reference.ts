/**
 * Reference to an object in the same namespace.
 * @mapType atomic
 */
export interface TypedLocalObjectReference {
  /** API group of the object. Empty: the core group, as for ConfigMaps. */
  apiGroup?: string;
  /** Kind of the object, such as `configmap`. */
  kind: string;
  /** Name of the object. */
  name: string;
}
