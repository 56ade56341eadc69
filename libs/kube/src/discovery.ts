import type { ResourceType } from '@lateen/api-types';

/** A resource type as the API server describes it. */
export interface DiscoveredType extends ResourceType {
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  /** `pod`; may be empty. */
  readonly singular: string;
  readonly categories: readonly string[];
  /** Names of subresources: `status`, `scale`, `log` … */
  readonly subresources: readonly string[];
  /** The version of its group that the server prefers for this resource. */
  readonly preferred: boolean;
}

/** How a person or an object names a resource. */
export type ResourceQuery =
  /** `Pod`, `pods`, `po`, `deployments.apps`, `deployments.v1.apps`, `velero.io/v1/Backup`. */
  string | { group: string; version?: string; kind: string };

/** What an API server serves. */
export interface Discovery {
  /** Everything the API server serves, in its own order of preference. Cached; `fresh` asks again. */
  resourceTypes(options?: { fresh?: boolean; signal?: AbortSignal }): Promise<readonly DiscoveredType[]>;
  /**
   * What a name means here. Asks the server once more when the name is unknown, for CRDs installed since.
   * @throws KUBE_RESOURCE_UNKNOWN naming what was asked for
   */
  findResourceType(query: ResourceQuery, options?: { signal?: AbortSignal }): Promise<DiscoveredType>;
}
