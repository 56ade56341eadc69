import type { Pod } from '@lateen/api-types';
import type { BackupItemAction } from '../contract/backup-item-action.ts';
import type { ItemIdentifier } from '../contract/item-identifier.ts';

/** A pod's claims and its priority class come along. */
export const podAction: BackupItemAction = {
  name: 'velero.io/pod',
  appliesTo: { includedResources: ['pods'] },
  execute: async (item) => ({ item, additionalItems: itemsOfPod(item as unknown as Pod) }),
};

/** What a pod needs: the claims that its volumes name, and its priority class. */
export function itemsOfPod({ metadata, spec }: Pod): ItemIdentifier[] {
  const { namespace = '' } = metadata;
  const claims = (spec.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
  const { priorityClassName = '' } = spec;
  return [
    ...[...new Set(claims)].map((name) => ({ group: '', resource: 'persistentvolumeclaims', namespace, name })),
    ...(priorityClassName === ''
      ? []
      : [{ group: 'scheduling.k8s.io', resource: 'priorityclasses', name: priorityClassName }]),
  ];
}
