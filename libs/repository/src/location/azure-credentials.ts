/** How an Azure location proves who we are. Never log one. */
export type AzureCredentials =
  /** The storage account's own key; base64. */
  | { kind: 'accountKey'; accountKey: string }
  /** A service principal of Microsoft Entra ID. `authority` is where its tokens come from, without a slash at its end. */
  | { kind: 'clientSecret'; tenantId: string; clientId: string; clientSecret: string; authority: string }
  /** Azure workload identity: a token of our service account, which Kubernetes keeps fresh in a file of the pod. */
  | { kind: 'workloadIdentity'; tenantId: string; clientId: string; tokenFile: string; authority: string };
