import type { Container, Pod, Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { priorityClassOf } from '../pod-items.ts';

/**
 * Takes off a pod what only its first life had: the node, the number of its priority, the token of a Secret that is made anew, and
 * containers that were added to look into it, which no pod may be created with. Its priority class comes before it.
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
