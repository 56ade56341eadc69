import { type Pod, persistentVolumeClaimType, priorityClassType } from '@lateen/api-types';
import type { ItemIdentifier } from './contract/item-identifier.ts';

/** What a pod needs: the claims that its volumes name, and its priority class. */
export const itemsOfPod = (pod: Pod): ItemIdentifier[] => [...claimsOf(pod), ...priorityClassOf(pod)];

/** The claims that the volumes of a pod name, each once. */
export function claimsOf({ metadata: { namespace = '' }, spec }: Pod): ItemIdentifier[] {
  const names = (spec.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
  const { group, resource } = persistentVolumeClaimType;
  return [...new Set(names)].map((name) => ({ group, resource, namespace, name }));
}

export function priorityClassOf({ spec: { priorityClassName: name = '' } }: Pod): ItemIdentifier[] {
  const { group, resource } = priorityClassType;
  return name === '' ? [] : [{ group, resource, name }];
}
