import { type LabelSelector, labels, type PersistentVolumeClaim, type Unstructured } from '@lateen/api-types';
import type { BackupItemAction } from '../contract/backup-item-action.ts';

/**
 * Labels that backups and restores have written onto a claim. Other `velero.io/` labels are the user's and stay: groups,
 * exclusions.
 */
const staleLabels: readonly string[] = [
  labels.backupName,
  labels.backupUid,
  labels.restoreName,
  labels.restoreUid,
  labels.volumeSnapshotName,
  labels.dynamicPvRestore,
];

/**
 * For a bound claim: its volume is backed up with it. Fields that were needed only until it was bound are removed, because a
 * restore would otherwise provision from them again (backup-and-restore.md section 6).
 */
export const claimAction: BackupItemAction = {
  name: 'velero.io/pv',
  appliesTo: { includedResources: ['persistentvolumeclaims'] },
  execute: async (item) => {
    const claim = item as unknown as PersistentVolumeClaim;
    const { volumeName = '' } = claim.spec;
    if (claim.status?.phase !== 'Bound' || volumeName === '') return { item };
    return {
      item: boundClaim(claim) as unknown as Unstructured,
      additionalItems: [{ group: '', resource: 'persistentvolumes', name: volumeName }],
    };
  },
};

function boundClaim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { metadata } = claim;
  const { dataSource: _, dataSourceRef: __, selector, ...spec } = claim.spec;
  // An empty class means a statically provisioned volume, which the selector may have to find again.
  const kept = spec.storageClassName === '' ? selector : undefined;
  return {
    ...claim,
    metadata: metadata.labels === undefined ? metadata : { ...metadata, labels: withoutStale(metadata.labels) },
    spec: kept === undefined ? spec : { ...spec, selector: cleanSelector(kept) },
  };
}

const cleanSelector = (selector: LabelSelector): LabelSelector =>
  selector.matchLabels === undefined ? selector : { ...selector, matchLabels: withoutStale(selector.matchLabels) };

const withoutStale = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !staleLabels.includes(key)));
