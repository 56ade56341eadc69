/** How a Google location proves who we are. Never log one. */
export type GcpCredentials =
  /** The JSON key of a service account, as it stands in the Secret. */
  | { kind: 'serviceAccount'; json: string; email: string; privateKey: string; projectId?: string }
  /** Workload identity or the node's account: the metadata server gives the tokens. `email` signs URLs, when it is known. */
  | { kind: 'ambient'; email?: string };
