/** Identifies an object for an action: one that belongs to the item, or that is read again later. */
export interface ItemIdentifier {
  /** "" for the core group. */
  group: string;
  /** Plural: `persistentvolumeclaims`. */
  resource: string;
  /** Absent for cluster-scoped objects. */
  namespace?: string;
  name: string;
}
