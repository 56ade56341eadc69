import type { Unstructured } from '@lateen/api-types';
import type { WebhookService } from '../order/gates.ts';

/** A webhook of the cluster that blocks objects as long as it does not answer. */
export interface AdmissionWebhook {
  readonly service: WebhookService;
  readonly rules: readonly { apiGroups?: string[]; resources?: string[]; operations?: string[] }[];
}

interface ClientConfig {
  service?: { namespace?: string; name?: string } | null;
}

/** The webhooks of a configuration that are reached by a Service and must answer. Webhooks at a URL are not part of a restore. */
export function webhooksOf(configuration: Unstructured): AdmissionWebhook[] {
  const { webhooks } = configuration as {
    webhooks?:
      | { clientConfig?: ClientConfig; failurePolicy?: string; rules?: AdmissionWebhook['rules'] | null }[]
      | null;
  };
  return (webhooks ?? []).flatMap(({ clientConfig, failurePolicy, rules }): AdmissionWebhook[] => {
    const service = serviceOf(clientConfig);
    return service === undefined || failurePolicy === 'Ignore' ? [] : [{ service, rules: rules ?? [] }];
  });
}

/** Whether the webhook is called when objects of a resource are created. */
export function looksAt({ rules }: AdmissionWebhook, groupResource: string): boolean {
  const [resource = '', ...group] = groupResource.split('.');
  const has = (list: readonly string[] | undefined, ...wanted: string[]) =>
    list?.some((each) => wanted.includes(each)) ?? false;
  return rules.some(
    ({ apiGroups, resources, operations }) =>
      has(apiGroups, '*', group.join('.')) &&
      has(resources, '*', '*/*', resource) &&
      has(operations, '*', 'CREATE', 'UPDATE'),
  );
}

/** The conversion webhook of a CRD. */
export function conversionServiceOf(definition: Unstructured | undefined): WebhookService | undefined {
  const { conversion } = (definition?.spec ?? {}) as {
    conversion?: { strategy?: string; webhook?: { clientConfig?: ClientConfig } | null } | null;
  };
  return conversion?.strategy === 'Webhook' ? serviceOf(conversion.webhook?.clientConfig) : undefined;
}

function serviceOf(config: ClientConfig | undefined): WebhookService | undefined {
  const { namespace, name } = config?.service ?? {};
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
