/** How a person or an object names a resource. */
export type ResourceQuery =
  /** `Pod`, `pods`, `po`, `deployments.apps`, `deployments.v1.apps`, `velero.io/v1/Backup`. */
  string | { group: string; version?: string; kind: string };
