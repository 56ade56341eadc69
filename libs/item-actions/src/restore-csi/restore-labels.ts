import { getValidName, labels, type Restore } from '@lateen/api-types';

/** Labels on everything that a restore creates in the cluster for its own work, by which it is found again. */
export const restoreLabels = ({ metadata }: Restore): Record<string, string> => ({
  [labels.restoreName]: getValidName(metadata.name ?? ''),
  [labels.restoreUid]: getValidName(metadata.uid ?? ''),
});

/** Selects the objects with these labels. */
export const ofRestore = ({ metadata }: Restore): string => `${labels.restoreUid}=${getValidName(metadata.uid ?? '')}`;
