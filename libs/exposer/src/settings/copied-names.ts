/**
 * Secrets and ConfigMaps that a driver reads in the namespace of a claim: the claims of hosting pods need them where they are made, so they are
 * copied from the workload's namespace.
 */
export interface CopiedNames {
  secretNames?: readonly string[];
  configMapNames?: readonly string[];
}
