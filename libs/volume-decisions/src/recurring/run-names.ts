import { createHash } from 'node:crypto';
import { backupName, snapshotName } from '@lateen/storage-types';

/** Names of the objects that a run creates for a volume: every caller gets the same names, so that nothing is created twice. */
export function namesOfRun(job: string, volume: string, dueAt: string): { snapshot: string; backup: string } {
  const digits = createHash('sha256').update(`${job}/${volume}/${dueAt}`).digest('hex').slice(0, 32);
  return { snapshot: snapshotName(digits), backup: backupName(digits) };
}
