import type { Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';

interface WebhookConfiguration extends Unstructured {
  webhooks?: { sideEffects?: string; [field: string]: unknown }[] | null;
}

const group = 'admissionregistration.k8s.io';
const takenByV1: readonly unknown[] = ['None', 'NoneOnDryRun'];

/** v1 accepts only webhooks that declare no side effects. */
export const webhookConfigurationAction: RestoreItemAction = {
  name: 'velero.io/admission-webhook-configuration',
  appliesTo: {
    includedResources: [`validatingwebhookconfigurations.${group}`, `mutatingwebhookconfigurations.${group}`],
  },
  execute: async ({ item }) => {
    const { webhooks } = item as WebhookConfiguration;
    if (item.apiVersion !== `${group}/v1` || !Array.isArray(webhooks)) return { updatedItem: item };
    const harmless = webhooks.map((webhook) =>
      takenByV1.includes(webhook.sideEffects) ? webhook : { ...webhook, sideEffects: 'None' },
    );
    return { updatedItem: { ...item, webhooks: harmless } };
  },
};
