import type { Backup, Restore } from '@lateen/api-types';
import type { Change } from '@lateen/kube-runtime';

/** What is worked on in runs. */
export type RunObject = Backup | Restore;

/** Whether an update may make a difference to other runs: each write of progress is one too. */
export const hasMovedOn = ({ object, previous }: Extract<Change<RunObject>, { type: 'updated' }>): boolean =>
  object.status?.phase !== previous.status?.phase ||
  object.spec.cancel !== previous.spec.cancel ||
  object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp;
