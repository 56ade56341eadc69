import { getValidName, labels, type Restore } from '@lateen/api-types';

/** On everything that a restore makes in the cluster for its own work, so that it is found again. */
export const restoreLabels = ({ metadata }: Restore): Record<string, string> => ({
  [labels.restoreName]: getValidName(metadata.name ?? ''),
  [labels.restoreUid]: getValidName(metadata.uid ?? ''),
});

/** Selects it. */
export const ofRestore = ({ metadata }: Restore): string => `${labels.restoreUid}=${getValidName(metadata.uid ?? '')}`;
