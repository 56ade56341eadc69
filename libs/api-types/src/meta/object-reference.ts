/**
 * Reference to an object, possibly in another namespace.
 * @mapType atomic
 */
export interface ObjectReference {
  /** API version of the object, such as `v1`. */
  apiVersion?: string;
  /** Kind of the object, such as `Pod`. */
  kind?: string;
  /** Namespace of the object. Empty for cluster-scoped objects. */
  namespace?: string;
  /** Name of the object. */
  name?: string;
  /** UID of the object: the value of its `metadata.uid`. */
  uid?: string;
  /** Version of the object: the value of its `metadata.resourceVersion`. Empty: any version. */
  resourceVersion?: string;
  /** Path of a part of the object, such as `spec.containers[0]`. Empty: the whole object. */
  fieldPath?: string;
}
