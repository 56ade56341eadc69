import { type Backup, labels, type PersistentVolumeClaim } from '@lateen/api-types';

/** The volume group of a claim: claims of one namespace with this label are snapshotted together. */
export interface VolumeGroup {
  namespace: string;
  key: string;
  value: string;
}

/** The group of the claim, by the label key of the backup; undefined when it belongs to none. */
export function groupOf(claim: PersistentVolumeClaim, { spec }: Backup): VolumeGroup | undefined {
  const key = spec.volumeGroupSnapshotLabelKey || labels.volumeGroup;
  const value = claim.metadata.labels?.[key] ?? '';
  return value === '' ? undefined : { namespace: claim.metadata.namespace ?? '', key, value };
}
