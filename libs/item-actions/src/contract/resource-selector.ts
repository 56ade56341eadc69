/** Which items an action processes. Absent lists mean all. */
export interface ResourceSelector {
  includedNamespaces?: readonly string[];
  excludedNamespaces?: readonly string[];
  /** `persistentvolumeclaims`, `deployments.apps`; `*` is all. */
  includedResources?: readonly string[];
  excludedResources?: readonly string[];
  /** As in a list call: `a=b,c in (d,e)`. */
  labelSelector?: string;
}
