import type { Backup, Restore } from '@lateen/api-types';
import type { Change } from '@lateen/kube-runtime';

/** The objects that are processed in runs. */
export type RunObject = Backup | Restore;

/** Whether an update may matter to other runs; most updates only write progress. */
export const hasMovedOn = ({ object, previous }: Extract<Change<RunObject>, { type: 'updated' }>): boolean =>
  object.status?.phase !== previous.status?.phase ||
  object.spec.cancel !== previous.spec.cancel ||
  object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp;
