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

/** Whether the object was made by this very backup; the reference puts no uid on most of what it makes. */
export function isOf(object: KubeObject, backup: Backup): boolean {
  const { [labels.backupName]: name, [labels.backupUid]: uid } = object.metadata.labels ?? {};
  const own = labelsOf(backup);
  return name === own[labels.backupName] && (uid === undefined || uid === own[labels.backupUid]);
}
