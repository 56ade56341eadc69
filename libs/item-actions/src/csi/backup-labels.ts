import { type Backup, getValidName, type KubeObject, labels } from '@lateen/api-types';

/** Labels on everything that a backup creates in the cluster, by which it is found again. */
export function labelsOf({ metadata }: Backup): Record<string, string> {
  return {
    [labels.backupName]: getValidName(metadata.name ?? ''),
    [labels.backupUid]: getValidName(metadata.uid ?? ''),
  };
}

/** Selects the objects with the labels of {@link labelsOf}, of this backup or an earlier one of its name: see {@link isOf}. */
export const selectorOf = ({ metadata }: Backup): string => `${labels.backupName}=${getValidName(metadata.name ?? '')}`;

/**
 * Whether the object was made for a backup of this name and not restored by a restore. The labels in an archive show no more: a
 * Backup that is known from its bucket has another UID than the original.
 */
export function isNamedFor({ metadata }: KubeObject, backup: Backup): boolean {
  const { [labels.backupName]: name, [labels.restoreName]: restore } = metadata.labels ?? {};
  return name === getValidName(backup.metadata.name ?? '') && restore === undefined;
}

/** Whether the object was made by exactly this backup; Velero puts no UID on most of its objects. */
export function isOf(object: KubeObject, backup: Backup): boolean {
  const { [labels.backupName]: name, [labels.backupUid]: uid } = object.metadata.labels ?? {};
  const own = labelsOf(backup);
  return name === own[labels.backupName] && (uid === undefined || uid === own[labels.backupUid]);
}
