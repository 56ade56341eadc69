/**
 * Secrets and ConfigMaps that a driver reads in the namespace of a claim. The claims of hosting pods are in another namespace, so
 * these objects are copied there from the workload's namespace.
 */
export interface CopiedNames {
  secretNames?: readonly string[];
  configMapNames?: readonly string[];
}
