import type { ResourceType, Unstructured } from '@lateen/api-types';
import { listAll, matchesSelector, readObject } from '@lateen/kube';
import type { WebhookService } from '../order/gates.ts';
import { definitionsResource, isCustom } from '../order/item-edges.ts';
import type { WebhookUse } from '../order/webhook-edges.ts';
import type { CatalogItem, RestoreEnginePorts } from './contract.ts';
import type { ItemRun } from './item-run.ts';
import { type AdmissionWebhook, conversionServiceOf, looksAt, webhooksOf } from './webhook-facts.ts';

const admission = (resource: string, kind: string): ResourceType<Unstructured> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource,
  kind,
  namespaced: false,
});
const configurationTypes = [
  admission('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'),
  admission('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'),
];
const serviceType: ResourceType<Unstructured> = {
  group: '',
  version: 'v1',
  resource: 'services',
  kind: 'Service',
  namespaced: true,
};

/**
 * Webhooks that custom resources of this restore call and whose Service or pods this restore creates: conversion webhooks of CRDs, and
 * webhooks that are configured in the cluster already. (Configurations that are restored themselves come last.)
 */
export async function webhookUses(
  run: Pick<ItemRun, 'ports' | 'request' | 'namespaces'>,
  chosen: readonly CatalogItem[],
  signal: AbortSignal,
): Promise<WebhookUse[]> {
  const customKinds = new Set(chosen.filter((item) => isCustom(item.apiVersion)).map((item) => item.groupResource));
  if (customKinds.size === 0) return [];
  const kindsOf = new Map<string, { service: WebhookService; kinds: Set<string> }>();
  const note = (service: WebhookService, kind: string) => {
    const key = `${service.namespace}/${service.name}`;
    const known = kindsOf.get(key) ?? { service, kinds: new Set() };
    kindsOf.set(key, known);
    known.kinds.add(kind);
  };
  for (const item of chosen) {
    if (item.groupResource !== definitionsResource || !customKinds.has(item.name)) continue;
    const service = conversionServiceOf(await stored(run, item, signal));
    if (service !== undefined) note(service, item.name);
  }
  for (const webhook of await admissionWebhooks(run.ports, signal))
    for (const kind of customKinds) if (looksAt(webhook, kind)) note(webhook.service, kind);
  const byTarget = inTargetNamespaces(run, chosen);
  const uses: WebhookUse[] = [];
  for (const { service, kinds } of kindsOf.values()) {
    const backends = await backendsOf(run, service, byTarget.get(service.namespace) ?? [], signal);
    if (backends.length > 0) uses.push({ service, backends, groupResources: [...kinds] });
  }
  return uses;
}

/** When they cannot be read, nothing waits for them, and each object reports its own refusal. */
async function admissionWebhooks({ kube, log }: RestoreEnginePorts, signal: AbortSignal): Promise<AdmissionWebhook[]> {
  try {
    const lists = await Promise.all(configurationTypes.map((type) => listAll(kube, type, { signal })));
    return lists.flatMap(({ items }) => items.flatMap(webhooksOf));
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'webhooks of the cluster cannot be listed; the restore waits for none');
    return [];
  }
}

/** Services and pods by the namespace into which they are restored. */
function inTargetNamespaces(
  { namespaces }: Pick<ItemRun, 'namespaces'>,
  chosen: readonly CatalogItem[],
): Map<string, CatalogItem[]> {
  const backends = chosen.filter(({ groupResource }) => groupResource === 'services' || groupResource === 'pods');
  return Map.groupBy(backends, ({ namespace = '' }) => namespaces.mapped(namespace));
}

/** The Service and the pods that it selects, as far as they are restored. */
async function backendsOf(
  run: Pick<ItemRun, 'ports' | 'request'>,
  { namespace, name }: WebhookService,
  there: readonly CatalogItem[],
  signal: AbortSignal,
): Promise<CatalogItem[]> {
  if (there.length === 0) return [];
  const item = there.find((each) => each.groupResource === 'services' && each.name === name);
  const service =
    item === undefined
      ? await readObject(run.ports.kube, serviceType, { namespace, name }, signal)
      : await stored(run, item, signal);
  const { selector } = (service?.spec ?? {}) as { selector?: Record<string, string> | null };
  const pods =
    selector === undefined || selector === null
      ? []
      : there.filter(
          ({ groupResource, labels = {} }) =>
            groupResource === 'pods' && matchesSelector({ matchLabels: selector }, labels),
        );
  return [...(item === undefined ? [] : [item]), ...pods];
}

async function stored(
  { request: { catalog } }: Pick<ItemRun, 'request'>,
  item: CatalogItem,
  signal: AbortSignal,
): Promise<Unstructured | undefined> {
  try {
    return await catalog.read(item, signal);
  } catch {
    signal.throwIfAborted();
    // The restore of this object reports what is wrong with it.
    return undefined;
  }
}
