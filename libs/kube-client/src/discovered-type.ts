import type { ResourceType } from '@lateen/kube';

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
