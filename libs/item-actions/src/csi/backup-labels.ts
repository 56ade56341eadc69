import { type Backup, getValidName, type KubeObject, labels } from '@lateen/api-types';

/** On everything that a backup makes in the cluster, so that it is found again. */
export function labelsOf({ metadata }: Backup): Record<string, string> {
  return {
    [labels.backupName]: getValidName(metadata.name ?? ''),
    [labels.backupUid]: getValidName(metadata.uid ?? ''),
  };
}

/** Selects what {@link labelsOf} has been put on, by this backup or an earlier one of its name: see {@link isOf}. */
export const selectorOf = ({ metadata }: Backup): string => `${labels.backupName}=${getValidName(metadata.name ?? '')}`;

/**
 * Whether the object was made for a backup of this name and not brought back by a restore. All that an archive can say: a Backup
 * that is known from its bucket has another uid than the one that was run.
 */
export function isNamedFor({ metadata }: KubeObject, backup: Backup): boolean {
  const { [labels.backupName]: name, [labels.restoreName]: restore } = metadata.labels ?? {};
  return name === getValidName(backup.metadata.name ?? '') && restore === undefined;
}

/** Whether the object was made by this very backup; Velero puts no uid on most of what it makes. */
export function isOf(object: KubeObject, backup: Backup): boolean {
  const { [labels.backupName]: name, [labels.backupUid]: uid } = object.metadata.labels ?? {};
  const own = labelsOf(backup);
  return name === own[labels.backupName] && (uid === undefined || uid === own[labels.backupUid]);
}
