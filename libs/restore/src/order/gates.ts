/** Where the API server finds a webhook, in the target. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
}

/** A node without an object: what others wait for together, so that many that wait for many need few edges. */
export type Gate =
  /** The target namespace is there. */
  | { readonly type: 'namespace'; readonly namespace: string }
  /** Objects of a kind may begin; `namespace` is that of the backup. */
  | { readonly type: 'before'; readonly groupResource: string; readonly namespace: string | undefined }
  /** All objects of a kind have ended. */
  | { readonly type: 'after'; readonly groupResource: string; readonly namespace: string | undefined }
  /** What operators look for when they see their resources is there. */
  | { readonly type: 'settings'; readonly namespace: string | undefined }
  /** A Service has a pod that can answer. */
  | { readonly type: 'service'; readonly service: WebhookService }
  /** All objects have ended, of the namespace or of all, but those that wait for this. */
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
