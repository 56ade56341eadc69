import type { Container, Pod, Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { priorityClassOf } from '../pod-items.ts';

/**
 * Removes the fields that belong to the backed-up pod only: the node, the numeric priority, the token Secret that is created
 * again, and ephemeral containers, with which no pod may be created. The pod's priority class is restored before it.
 */
export const podAction: RestoreItemAction = {
  name: 'velero.io/pod',
  appliesTo: { includedResources: ['pods'] },
  execute: async ({ item }) => {
    const pod = item as unknown as Pod;
    return { updatedItem: asNew(pod) as unknown as Unstructured, additionalItems: priorityClassOf(pod) };
  },
};

function asNew(pod: Pod): Pod {
  const { nodeName: _, priority: __, ephemeralContainers: ___, ...spec } = pod.spec;
  const tokens = `${spec.serviceAccountName ?? ''}-token-`;
  const isToken = ({ name }: { name: string }) => name.startsWith(tokens);
  const withoutTokens = (container: Container): Container =>
    container.volumeMounts?.some(isToken) === true
      ? { ...container, volumeMounts: container.volumeMounts.filter((mount) => !isToken(mount)) }
      : container;
  return {
    ...pod,
    spec: {
      ...spec,
      containers: spec.containers.map(withoutTokens),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withoutTokens) }),
      ...(spec.volumes === undefined ? {} : { volumes: spec.volumes.filter((volume) => !isToken(volume)) }),
    },
  };
}
