import { type LabelSelector, labels, type PersistentVolumeClaim, type Unstructured } from '@lateen/api-types';
import type { BackupItemAction } from '../contract/backup-item-action.ts';

/** What backups and restores have written onto a claim. What users write of `velero.io/` stays: groups, exclusions. */
const staleLabels: readonly string[] = [
  labels.backupName,
  labels.backupUid,
  labels.restoreName,
  labels.restoreUid,
  labels.volumeSnapshotName,
  labels.dynamicPvRestore,
];

/**
 * Of a claim that is bound: its volume comes along, and what was only of use until it was bound goes, since a restore would
 * provision from it again (backup-and-restore.md section 6).
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
  // An empty class means a volume made by hand, which the selector may have to find again.
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
