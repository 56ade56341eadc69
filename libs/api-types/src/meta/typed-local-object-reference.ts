/**
 * Points at an object of any kind in the same namespace.
 * @mapType atomic
 */
export interface TypedLocalObjectReference {
  /** API group of the object; absent for the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind: string;
  /** Name of the object. */
  name: string;
}
