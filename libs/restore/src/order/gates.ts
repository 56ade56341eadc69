/** The Service at which the API server reaches a webhook, in the target cluster. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
}

/** A node without an object that several objects wait for, so that many objects waiting for many others need few edges. */
export type Gate =
  /** The target namespace exists. */
  | { readonly type: 'namespace'; readonly namespace: string }
  /** Objects of a kind may start; `namespace` is that of the backup. */
  | { readonly type: 'before'; readonly groupResource: string; readonly namespace: string | undefined }
  /** All objects of a kind have ended. */
  | { readonly type: 'after'; readonly groupResource: string; readonly namespace: string | undefined }
  /** The objects that operators look up when they see their resources exist. */
  | { readonly type: 'settings'; readonly namespace: string | undefined }
  /** A Service has a pod that can answer. */
  | { readonly type: 'service'; readonly service: WebhookService }
  /** All objects of the namespace, or of the cluster, have ended, except those that wait for this gate. */
  | { readonly type: 'all'; readonly namespace: string | undefined };

export function gateText(gate: Gate): string {
  switch (gate.type) {
    case 'namespace':
      return `namespace ${gate.namespace} is there`;
    case 'before':
      return `${gate.groupResource}${inside(gate.namespace)} begin`;
    case 'after':
      return `${gate.groupResource}${inside(gate.namespace)} are done`;
    case 'settings':
      return `secrets, configmaps, serviceaccounts and services${inside(gate.namespace)} are done`;
    case 'service':
      return `Service ${gate.service.namespace}/${gate.service.name} answers`;
    case 'all':
      return `everything${inside(gate.namespace)} is done`;
    default:
      return gate satisfies never;
  }
}

const inside = (namespace: string | undefined): string => (namespace === undefined ? '' : ` in ${namespace}`);
