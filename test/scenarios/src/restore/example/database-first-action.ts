import type { ResourceType, Unstructured } from '@lateen/api-types';
import { type ItemIdentifier, type RestoreItemAction, withItemsWait } from '@lateen/item-actions';
import { readObject } from '@lateen/kube';

/** Set on a Deployment: the StatefulSet of the same namespace that must be ready before it starts. */
export const databaseAnnotation = 'example.org/database';
/** The same for an action of contract version 1, which cannot wait for readiness. */
export const earlierAnnotation = 'example.org/database-v1';

export interface StatefulSet extends Unstructured {
  spec: { replicas?: number };
  status?: { readyReplicas?: number; conditions?: { type: string; status: string; message?: string }[] };
}

export const statefulSetType: ResourceType<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
};

const databaseOf = ({ metadata }: Unstructured, annotation: string): ItemIdentifier[] => {
  const name = metadata.annotations?.[annotation];
  const { group, resource } = statefulSetType;
  return name === undefined ? [] : [{ group, resource, namespace: metadata.namespace ?? '', name }];
};

/**
 * An example of an action that waits: a Deployment that names its database is restored when all replicas of that database are ready. The
 * database is an additional item, so it is restored first, whatever the order of resources.
 */
export const databaseFirstAction: RestoreItemAction = {
  name: 'example.org/database-first',
  appliesTo: { includedResources: ['deployments.apps'] },
  execute: async ({ item }) => {
    const additionalItems = databaseOf(item, databaseAnnotation);
    const result = { updatedItem: item, additionalItems };
    // Two minutes for a database to start; 0 would mean the default of the server.
    return additionalItems.length === 0 ? result : withItemsWait(result, 120_000);
  },
  // Called immediately, then each second; a database that could not be restored is not among the items.
  areAdditionalItemsReady: async ({ items, signal }, { kube, mappedNamespace }) => {
    for (const { namespace = '', name } of items) {
      const key = { namespace: mappedNamespace(namespace), name };
      const set = await readObject(kube, statefulSetType, key, signal);
      const broken = set?.status?.conditions?.find(({ type, status }) => type === 'Broken' && status === 'True');
      if (broken !== undefined) return { ready: false, error: `database ${name} is broken: ${broken.message ?? ''}` };
      if ((set?.status?.readyReplicas ?? 0) < (set?.spec.replicas ?? 1)) return { ready: false };
    }
    return { ready: true };
  },
};

/** The same action for version 1 of the contract: the database is restored first, and the Deployment does not wait for it. */
export const databaseFirstActionV1: RestoreItemAction = {
  name: 'example.org/database-first-v1',
  appliesTo: { includedResources: ['deployments.apps'] },
  execute: async ({ item }) => ({ updatedItem: item, additionalItems: databaseOf(item, earlierAnnotation) }),
};
