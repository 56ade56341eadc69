/**
 * Points at an object, possibly in another namespace.
 * @mapType atomic
 */
export interface ObjectReference {
  /** Group and version of the object. */
  apiVersion?: string;
  /** Kind of the object. */
  kind?: string;
  /** Namespace of the object. */
  namespace?: string;
  /** Name of the object. */
  name?: string;
  /** Unique identifier of the object. */
  uid?: string;
  /** The very version of the object that is meant. */
  resourceVersion?: string;
  /** Path to the part of the object that is meant, when it is not the whole. */
  fieldPath?: string;
}
