import { plainLine } from '@lateen/errors';
import { type Cause, causesIn } from '../../run/causes.ts';
import { backupPhaseOf } from '../backup-noun.ts';
import type { InspectedBackup } from './inspect-backup.ts';

/** The causes of failures in a backup, as {@link causesIn}, including why a backup that is being deleted is not gone yet. Pure. */
export function causesOf(inspected: InspectedBackup): Cause[] {
  const { backup, deleteRequests, uploads, operations, results, podVolumeBackups } = inspected;
  const isDeleting = backupPhaseOf(backup) === 'Deleting';
  const deletions = isDeleting ? deleteRequests.flatMap(({ status }) => status?.errors ?? []) : [];
  return causesIn({
    status: backup.status,
    others: deletions.map((why) => ({ about: 'deletion', why: plainLine(why) })),
    movements: [...uploads, ...podVolumeBackups],
    operations,
    results,
  });
}
